import { type Role, roles } from '../enums/role.js'
import { type Config, type Endpoint, type RoleConfig, subagentDefaults } from './config.js'
import { modelProvider } from './model-providers.js'
import type { ConfigFile } from './schema.js'

type LlmFile = NonNullable<ConfigFile['llm']>
type EndpointFile = Pick<
  LlmFile,
  'provider' | 'base_url' | 'key_env' | 'extra_headers' | 'extra_query' | 'structured' | 'stream'
>

/** Where models are reached without any setting. */
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
      test_writer: roleConfig('test_writer', file, endpoint),
      judge: roleConfig('judge', file, endpoint),
      repairer: roleConfig('repairer', file, endpoint),
      coder: roleConfig('coder', file, endpoint),
      debugger: roleConfig('debugger', file, endpoint),
    },
    prices: file?.prices ?? {},
  }
}

const defaultDefinitions: Readonly<Record<Role, string>> = {
  sql: 'sql.yaml',
  test_writer: subagentDefaults.definition,
  judge: 'judge.yaml',
  repairer: 'repairer.yaml',
  coder: 'coder.yaml',
  debugger: 'debugger.yaml',
}

function roleConfig(name: Role, file: LlmFile | undefined, shared: Endpoint): RoleConfig {
  const role = file?.roles?.[name]
  return {
    model: role?.model,
    definition: role?.definition ?? defaultDefinitions[name],
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
  const named = file.provider === undefined ? undefined : modelProvider(file.provider, openAi)
  const keyEnv = file.base_url === undefined ? (named ?? modelProvider(undefined, openAi))?.keyEnv : undefined
  return {
    settings,
    baseUrl: file.base_url ?? named?.baseUrl ?? openAi,
    keyEnv: file.key_env === null ? undefined : (file.key_env ?? keyEnv),
    headers: file.extra_headers ?? {},
    query: file.extra_query ?? {},
    provider: file.provider,
    structured: file.structured ?? 'auto',
    stream: file.stream ?? 'auto',
  }
}

/**
 * Returns the endpoint of a role. Another address is another endpoint: it must not receive the headers and
 * keys of the shared one.
 */
function endpointOfRole(role: EndpointFile, settings: string, shared: Endpoint): Endpoint {
  const { structured = shared.structured, stream = shared.stream } = role
  if (role.base_url !== undefined || (role.provider !== undefined && role.provider !== shared.provider))
    return { ...endpointOf(role, settings), structured, stream }
  const { key_env, extra_headers, extra_query } = role
  if (key_env === undefined && extra_headers === undefined && extra_query === undefined)
    return { ...shared, structured, stream }
  return {
    settings,
    baseUrl: shared.baseUrl,
    keyEnv: key_env === undefined ? shared.keyEnv : (key_env ?? undefined),
    headers: { ...shared.headers, ...extra_headers },
    query: { ...shared.query, ...extra_query },
    provider: shared.provider,
    structured,
    stream,
  }
}
