import type { Config, RoleConfig } from '../config/config.js'
import { AutotestError } from '../errors.js'
import type { Role } from '../role.js'
import type { RoleModel } from './llm.js'
import type { Provider, ProviderName } from './provider.js'

export interface OpenModelOptions {
  readonly config: Pick<Config, 'llm' | 'budget'>
  readonly env: Readonly<Record<string, string | undefined>>
  /** Bytes of a file of the project. */
  readonly readFile: (path: string) => Promise<Uint8Array>
  /** Whether replies come from recordings: nothing is reached, and no key needed. */
  readonly replayed: boolean
}

/** Where a model is named: in the configuration, else in the definition of its role. */
export interface NamedModel {
  readonly provider: ProviderName
  readonly model: string
}

/**
 * The model of a role, with its provider. Throws `AutotestError('config_invalid')` for a provider that does not exist,
 * a key that is not set, and a limit of cost for a model without a price.
 */
export async function openModel(
  role: Role,
  { provider, model }: NamedModel,
  options: OpenModelOptions,
): Promise<RoleModel> {
  const { config, env, readFile, replayed } = options
  const { temperature, seed, maxTokens, timeoutMs }: RoleConfig = config.llm.roles[role]
  const price = config.llm.prices[model]
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
    provider: await openProvider(provider, model, config.llm, env, readFile, replayed),
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
  { baseUrl, keyEnv }: Config['llm'],
  env: OpenModelOptions['env'],
  readFile: OpenModelOptions['readFile'],
  replayed: boolean,
): Promise<Provider> {
  switch (provider) {
    case 'scripted': {
      const { parseScript, scriptedProvider } = await import('./scripted.js')
      return scriptedProvider(parseScript(await readFile(model), model), `scripted:${model}`)
    }
    case 'openai': {
      const key = keyEnv === undefined ? undefined : env[keyEnv]?.trim()
      if (keyEnv !== undefined && (key === undefined || key === '') && !replayed) {
        throw new AutotestError(
          'config_invalid',
          `${keyEnv} is not set: ${model} at ${baseUrl} wants a key`,
          {
            hint: `Set ${keyEnv}, or name another variable as llm.key_env, or another endpoint as llm.base_url.`,
          },
        )
      }
      const { openAiProvider } = await import('./openai/provider.js')
      return openAiProvider({ baseUrl, key, keyVariable: keyEnv })
    }
  }
}
