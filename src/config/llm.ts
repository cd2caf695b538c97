import { type Role, roles } from '../role.js'
import type { Config, RoleConfig } from './config.js'
import type { ConfigFile } from './schema.js'

const openAi = 'https://api.openai.com/v1'
const defaultTimeoutMs = 60_000
const defaultMaxTokens = 4096

/** What a file says about models, with every default filled in. */
export function llmConfig(file: ConfigFile['llm']): Config['llm'] {
  const named = roles.filter((role) => file?.roles?.[role] !== undefined)
  return {
    configured: file !== undefined,
    baseUrl: file?.base_url ?? openAi,
    // OpenAI's key is for OpenAI: another endpoint is sent one only where the file names it.
    keyEnv: file?.key_env ?? (file?.base_url === undefined ? 'OPENAI_API_KEY' : undefined),
    named,
    roles: {
      sql: roleConfig('sql', file),
      judge: roleConfig('judge', file),
      repairer: roleConfig('repairer', file),
      debugger: roleConfig('debugger', file),
    },
    prices: file?.prices ?? {},
  }
}

function roleConfig(name: Role, file: ConfigFile['llm']): RoleConfig {
  const role = file?.roles?.[name]
  return {
    model: role?.model,
    definition: role?.definition ?? `${name}.yaml`,
    temperature: role?.temperature,
    seed: role?.seed,
    timeoutMs: role?.timeout ?? file?.timeout ?? defaultTimeoutMs,
    maxTokens: role?.max_tokens ?? defaultMaxTokens,
  }
}
