import { AutotestError } from '../errors.js'
import { nearest } from '../text/nearest-word.js'
import { addressSecret } from '../text/secrets.js'
import { type AgentConfig, llmAgentDefaults, subagentDefaults } from './config.js'
import { splitCommand } from './split-command.js'

const kinds = ['template', 'knowledge', 'module', 'command', 'http', 'llm', 'subagent', 'trace']

/**
 * Parses `template`, `knowledge`, `subagent`, `llm`, `llm:sql.yaml`, `https://host/ask`, with or without `http:` before it,
 * `trace:RUN` for what a subagent said in a run, `module:agents/mine.mjs` or `command:python agent.py` as an agent; throws `usage` for anything else.
 */
export function parseAgentFlag(text: string): AgentConfig {
  const isAddress = /^https?:\/\//i.test(text)
  const colon = text.indexOf(':')
  const kind = isAddress ? 'http' : colon < 0 ? text : text.slice(0, colon)
  const rest = isAddress ? text : colon < 0 ? '' : text.slice(colon + 1).trim()
  if ((kind === 'template' || kind === 'knowledge') && rest === '') return { kind }
  if (kind === 'module' && rest !== '') return { kind, path: rest, deterministic: false }
  const run = kind === 'command' ? splitCommand(rest) : undefined
  if (run !== undefined) return { kind: 'command', run, deterministic: false, env: [] }
  if (kind === 'llm' && (rest !== '' || colon < 0))
    return { kind, ...llmAgentDefaults, definition: rest || llmAgentDefaults.definition }
  if (kind === 'subagent' && (rest !== '' || colon < 0))
    return { kind, definition: rest || subagentDefaults.definition, model: undefined }
  if (kind === 'trace' && rest !== '') return { kind: 'subagent', ...subagentDefaults, model: text }
  const secret = kind === 'http' ? addressSecret(rest) : undefined
  if (secret !== undefined) {
    throw new AutotestError('usage', `--agent must be an address without ${secret}`, {
      hint: 'It is shown in reports: set agent.token_env in autotest.config.yaml to the variable of the token.',
    })
  }
  if (kind === 'http' && URL.canParse(rest) && /^https?:/.test(rest))
    return { kind, url: rest, deterministic: false, tokenEnv: undefined }
  const guess = kinds.includes(kind) ? undefined : nearest(kind, kinds)
  throw new AutotestError('usage', `--agent ${text}: unknown agent kind`, {
    hint: `${guess === undefined ? '' : `did you mean \`${guess}\`? `}Write template, knowledge, llm, subagent, trace:RUN, http:URL, module:FILE or command:"PROGRAM ARGUMENTS".`,
  })
}
