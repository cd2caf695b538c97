import { type Role, roles } from '../enums/role.js'
import type { Config, Endpoint, RoleConfig } from './config.js'
import type { ConfigFile } from './schema.js'

type LlmFile = NonNullable<ConfigFile['llm']>
type EndpointFile = Pick<LlmFile, 'base_url' | 'key_env' | 'extra_headers' | 'extra_query'>

const openAi = 'https://api.openai.com/v1'
const defaultTimeoutMs = 60_000
const defaultMaxTokens = 4096

/** Returns the model settings of a file, with every default filled in. */
export function llmConfig(file: LlmFile | undefined): Config['llm'] {
  const named = roles.filter((role) => file?.roles?.[role] !== undefined)
  const endpoint = endpointOf(file ?? {}, 'llm')
  return {
    configured: file !== undefined,
    named,
    roles: {
      sql: roleConfig('sql', file, endpoint),
      judge: roleConfig('judge', file, endpoint),
      repairer: roleConfig('repairer', file, endpoint),
      debugger: roleConfig('debugger', file, endpoint),
    },
    prices: file?.prices ?? {},
  }
}

function roleConfig(name: Role, file: LlmFile | undefined, shared: Endpoint): RoleConfig {
  const role = file?.roles?.[name]
  return {
    model: role?.model,
    definition: role?.definition ?? `${name}.yaml`,
    temperature: role?.temperature,
    seed: role?.seed,
    timeoutMs: role?.timeout ?? file?.timeout ?? defaultTimeoutMs,
    maxTokens: role?.max_tokens ?? defaultMaxTokens,
    endpoint: role === undefined ? shared : endpointOfRole(role, `llm.roles.${name}`, shared),
    extraBody: role?.extra_body,
  }
}

/**
 * Returns an endpoint. OpenAI's key is for OpenAI only: another endpoint receives a key only if the file
 * names it.
 */
function endpointOf(file: EndpointFile, settings: string): Endpoint {
  return {
    settings,
    baseUrl: file.base_url ?? openAi,
    keyEnv: file.key_env ?? (file.base_url === undefined ? 'OPENAI_API_KEY' : undefined),
    headers: file.extra_headers ?? {},
    query: file.extra_query ?? {},
  }
}

/**
 * Returns the endpoint of a role. Another address is another endpoint: it must not receive the headers and
 * keys of the shared one.
 */
function endpointOfRole(role: EndpointFile, settings: string, shared: Endpoint): Endpoint {
  if (role.base_url !== undefined) return endpointOf(role, settings)
  const { key_env, extra_headers, extra_query } = role
  if (key_env === undefined && extra_headers === undefined && extra_query === undefined) return shared
  return {
    settings,
    baseUrl: shared.baseUrl,
    keyEnv: key_env === undefined ? shared.keyEnv : (key_env ?? undefined),
    headers: { ...shared.headers, ...extra_headers },
    query: { ...shared.query, ...extra_query },
  }
}
