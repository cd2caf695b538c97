import type { Config, RoleConfig } from '../config/config.js'
import { AutotestError } from '../errors.js'
import type { Role } from '../role.js'
import { headerProblem } from '../secrets.js'
import type { RoleModel } from './llm.js'
import type { Provider, ProviderName } from './provider.js'

export interface OpenModelOptions {
  readonly config: Pick<Config, 'llm' | 'budget'>
  readonly env: Readonly<Record<string, string | undefined>>
  /** Bytes of a file of the project. */
  readonly readFile: (path: string) => Promise<Uint8Array>
  /** Whether replies come from recordings: nothing is reached, and no key needed. */
  readonly replayed: boolean
  /** Takes secrets out of what an endpoint says. */
  readonly redact: (text: string) => string
  /** Told what of the configuration a model does not take. */
  readonly onNote: (text: string) => void
}

/** Where a model is named: in the configuration, else in the definition of its role. */
export interface NamedModel {
  readonly provider: ProviderName
  readonly model: string
}

/**
 * The model of a role, with its provider. Throws `AutotestError('config_invalid')` for a provider that does not exist,
 * a key that is not set or cannot be sent, and a limit of cost for a model without a price.
 */
export async function openModel(
  role: Role,
  { provider, model }: NamedModel,
  options: OpenModelOptions,
): Promise<RoleModel> {
  const { config } = options
  const { temperature, seed, maxTokens, timeoutMs }: RoleConfig = config.llm.roles[role]
  const { prices } = config.llm
  const price = Object.hasOwn(prices, model) ? prices[model] : undefined
  if (config.budget.cost !== undefined && price === undefined && provider !== 'scripted') {
    throw new AutotestError(
      'config_invalid',
      `the model ${model} has no price, so that no cost can be kept to`,
      {
        hint: `Add it to the price table: llm: { prices: { ${model}: { in: …, out: … } } }, per million tokens.`,
      },
    )
  }
  return {
    provider: await openProvider(provider, model, options),
    model,
    temperature,
    seed,
    maxTokens,
    timeoutMs,
    price,
  }
}

async function openProvider(
  provider: ProviderName,
  model: string,
  options: OpenModelOptions,
): Promise<Provider> {
  switch (provider) {
    case 'scripted': {
      const { parseScript, scriptedProvider } = await import('./scripted.js')
      return scriptedProvider(parseScript(await options.readFile(model), model), `scripted:${model}`)
    }
    case 'openai': {
      const { baseUrl, keyEnv } = options.config.llm
      const key = options.replayed ? undefined : keyOf(model, options)
      const { openAiProvider } = await import('./openai/provider.js')
      const { redact, onNote } = options
      return openAiProvider({ baseUrl, key, keyVariable: keyEnv, redact, onNote })
    }
  }
}

/** Undefined where the endpoint wants none. */
function keyOf(model: string, { config, env }: OpenModelOptions): string | undefined {
  const { baseUrl, keyEnv } = config.llm
  if (keyEnv === undefined) return undefined
  const key = env[keyEnv]?.trim() ?? ''
  if (key === '') {
    throw new AutotestError('config_invalid', `${keyEnv} is not set: ${model} at ${baseUrl} wants a key`, {
      hint: `Set ${keyEnv}, or name another variable as llm.key_env, or another endpoint as llm.base_url.`,
    })
  }
  const unsendable = headerProblem(key)
  if (unsendable === undefined) return key
  throw new AutotestError('config_invalid', `the key in ${keyEnv} holds ${unsendable}`, {
    hint: `Set ${keyEnv} again: a key is one line of ordinary characters.`,
  })
}
