import type { AgentConfig } from '../config/config.js'
import type { Agent } from './agent.js'

export interface OpenAgentOptions {
  /** Absolute path of the project root. */
  readonly root: string
  /** Folder of the knowledge base, relative to the root. */
  readonly kbFolder: string
  /** Deadline of one answer, in milliseconds. */
  readonly timeoutMs: number
  /** Answers under way at one time. */
  readonly concurrency: number
}

/** The agent that is configured; only its own code is loaded. Throws `AutotestError('agent_invalid')` where it cannot be used at all. */
export async function openAgent(config: AgentConfig, options: OpenAgentOptions): Promise<Agent> {
  switch (config.kind) {
    case 'template':
      return (await import('./template.js')).templateAgent(options)
    case 'module': {
      const { moduleAgent } = await import('./module.js')
      return moduleAgent({ ...options, path: config.path, deterministic: config.deterministic })
    }
    case 'command': {
      const { commandAgent } = await import('./command.js')
      return commandAgent({
        ...options,
        run: config.run,
        deterministic: config.deterministic,
        env: config.env,
      })
    }
  }
}
