import type { AgentConfig } from '../config/config.js'
import { AutotestError } from '../errors.js'
import { headerProblem, type Redactor } from '../text/secrets.js'
import type { Agent } from './agent.js'
import type { KnowledgeAgentOptions } from './knowledge-agent.js'
import type { LlmAgentOptions } from './llm-agent.js'

/** What an agent that is a language model needs besides its configuration. */
export type LlmAgentHost = Pick<LlmAgentOptions, 'agentsFolder' | 'llm' | 'model' | 'database' | 'onNote'>

export interface OpenAgentOptions {
  /** Absolute path of the project root. */
  readonly root: string
  /** Folder of the knowledge base, relative to the root. */
  readonly kbFolder: string
  /** Environment variables, for the tokens that services require. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Deadline of one answer, in milliseconds. */
  readonly timeoutMs: number
  /** Maximal number of concurrent answers. */
  readonly concurrency: number
  /** Removes secrets from an agent's output. */
  readonly redact: Redactor
  /** What is known of the data of an engine; requested by autotest's own agent for entries only. */
  readonly storedValues: KnowledgeAgentOptions['storedValues']
  /** The model and database of an agent that is a language model; requested by such an agent only. */
  readonly llm: (definition: string) => Promise<LlmAgentHost>
}

/** Starts what takes longest for the configured agent, while the rest of the project loads. */
export async function prewarmAgent(
  config: AgentConfig,
  options: Omit<OpenAgentOptions, 'env' | 'llm' | 'storedValues'>,
): Promise<void> {
  if (config.kind !== 'module') return
  const { prewarmModule } = await import('./module-agent.js')
  prewarmModule({ ...options, path: config.path, deterministic: config.deterministic })
}

/**
 * Opens the configured agent; only its own code is loaded. Throws `AutotestError('agent_invalid')` if it
 * cannot be used at all.
 */
export async function openAgent(config: AgentConfig, options: OpenAgentOptions): Promise<Agent> {
  switch (config.kind) {
    case 'subagent':
      throw new AutotestError(
        'agent_invalid',
        'a subagent writes unit tests: it answers no question with SQL',
        {
          hint: 'Name cases of `kind: tests` with --benchmark, or choose another agent.',
        },
      )
    case 'template':
      return (await import('./template-agent.js')).templateAgent(options)
    case 'knowledge':
      return (await import('./knowledge-agent.js')).knowledgeAgent(options)
    case 'module': {
      const { moduleAgent } = await import('./module-agent.js')
      return moduleAgent({ ...options, path: config.path, deterministic: config.deterministic })
    }
    case 'command': {
      const { commandAgent } = await import('./command-agent.js')
      return commandAgent({
        ...options,
        run: config.run,
        deterministic: config.deterministic,
        env: config.env,
      })
    }
    case 'http': {
      const { httpAgent } = await import('./http-agent.js')
      const { url, deterministic, tokenEnv } = config
      const token = tokenEnv === undefined ? undefined : tokenOf(url, tokenEnv, options.env)
      return httpAgent({ ...options, url, deterministic, tokenEnv, token })
    }
    case 'llm': {
      const [{ llmAgent }, host] = await Promise.all([
        import('./llm-agent.js'),
        options.llm(config.definition),
      ])
      const { definition, entries, deterministic, errorTurn } = config
      return llmAgent({ ...options, ...host, definition, entries, deterministic, errorTurn })
    }
  }
}

function tokenOf(url: string, variable: string, env: OpenAgentOptions['env']): string {
  const token = env[variable]?.trim() ?? ''
  if (token === '') {
    throw new AutotestError('agent_invalid', `${variable} is not set: agent http:${url} requires a token`, {
      hint: `Set ${variable}, or remove agent.token_env.`,
    })
  }
  const unsendable = headerProblem(token)
  if (unsendable === undefined) return token
  throw new AutotestError('agent_invalid', `the token in ${variable} contains ${unsendable}`, {
    hint: `Set ${variable} again: a token is one line of ordinary characters.`,
  })
}
