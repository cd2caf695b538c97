import type { Config, Endpoint } from '../config/config.js'
import type { Role } from '../enums/role.js'
import { AutotestError } from '../errors.js'
import { type Environment, headerProblem, type Redactor } from '../text/secrets.js'
import type { RoleModel } from './llm-interface.js'
import type { EndpointMemories } from './openai/endpoint-memory.js'
import type { Provider, ProviderName } from './provider.js'

export interface OpenModelOptions {
  readonly config: Pick<Config, 'llm' | 'budget'>
  readonly env: Environment
  /** Returns the bytes of a file of the project. */
  readonly readFile: (path: string) => Promise<Uint8Array>
  /** Whether replies come from recordings: then nothing is requested, and no key needed. */
  readonly replayed: boolean
  /** Removes secrets from texts of an endpoint. */
  readonly redact: Redactor
  /** What is known of the endpoints of the run. */
  readonly memories: EndpointMemories
  /** Called with settings that a model does not support. */
  readonly onNote: (text: string) => void
}

/** A model's name, from the configuration or else from the definition of its role. */
export interface NamedModel {
  readonly provider: ProviderName
  readonly model: string
}

/**
 * Opens the model of a role, with its provider. Throws `AutotestError('config_invalid')` for an unknown
 * provider, a key that is not set or cannot be sent, and a cost limit for a model without a price.
 */
export async function openModel(
  role: Role,
  { provider, model }: NamedModel,
  options: OpenModelOptions,
): Promise<RoleModel> {
  const { config } = options
  const { endpoint, ...settings } = config.llm.roles[role]
  const { temperature, seed, maxTokens, timeoutMs, extraBody } = settings
  const { prices } = config.llm
  const price = Object.hasOwn(prices, model) ? prices[model] : undefined
  if (config.budget.cost !== undefined && price === undefined && provider !== 'scripted') {
    throw new AutotestError(
      'config_invalid',
      `the model ${model} has no price, so the cost limit cannot be enforced`,
      {
        hint: `Add it to the price table: llm: { prices: { ${model}: { in: …, out: … } } }, per million tokens.`,
      },
    )
  }
  return {
    provider: await openProvider(provider, model, endpoint, options),
    model,
    temperature,
    seed,
    maxTokens,
    extraBody,
    timeoutMs,
    price,
  }
}

async function openProvider(
  provider: ProviderName,
  model: string,
  endpoint: Endpoint,
  options: OpenModelOptions,
): Promise<Provider> {
  switch (provider) {
    case 'scripted': {
      const { parseScript, scriptedProvider } = await import('./scripted-provider.js')
      return scriptedProvider(parseScript(await options.readFile(model), model), `scripted:${model}`)
    }
    case 'openai': {
      const { settings, baseUrl, keyEnv, query } = endpoint
      const { env, redact, onNote, replayed } = options
      const key = replayed ? undefined : keyOf(model, endpoint, env)
      const headers = replayed ? {} : headersOf(model, endpoint, env)
      const { openAiProvider } = await import('./openai/chat-completions.js')
      const memory = options.memories.of(endpoint, onNote)
      return openAiProvider({ settings, baseUrl, key, keyVariable: keyEnv, headers, query, redact, memory })
    }
  }
}

/** Returns the API key; undefined if the endpoint needs none. */
function keyOf(model: string, endpoint: Endpoint, env: Environment): string | undefined {
  const { settings, keyEnv } = endpoint
  if (keyEnv === undefined) return undefined
  const other = `set ${settings}.key_env to another variable, or ${settings}.base_url to another endpoint`
  return readSecret(keyEnv, `${model} at ${endpoint.baseUrl} requires a key`, other, env)
}

function headersOf(model: string, endpoint: Endpoint, env: Environment): Record<string, string> {
  const { settings, baseUrl } = endpoint
  return Object.fromEntries(
    Object.entries(endpoint.headers).map(([name, value]) => {
      if (typeof value === 'string') return [name, value]
      const wanted = `${model} at ${baseUrl} gets it as ${name}`
      return [name, readSecret(value.env, wanted, `use another one in ${settings}.extra_headers`, env)]
    }),
  )
}

/**
 * Returns the value of an environment variable. Throws `AutotestError('config_invalid')` if it is not set, or
 * cannot be sent in a header.
 */
function readSecret(variable: string, wanted: string, other: string, env: Environment): string {
  const secret = env[variable]?.trim() ?? ''
  if (secret === '')
    throw new AutotestError('config_invalid', `${variable} is not set: ${wanted}`, {
      hint: `Set ${variable}, or ${other}.`,
    })
  const unsendable = headerProblem(secret)
  if (unsendable === undefined) return secret
  throw new AutotestError('config_invalid', `the key in ${variable} contains ${unsendable}`, {
    hint: `Set ${variable} again: a key is one line of ordinary characters.`,
  })
}
