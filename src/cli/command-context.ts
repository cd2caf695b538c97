import type { Terminal } from './terminal.js'

/** The context of a command, besides its flags. */
export interface CommandContext {
  readonly terminal: Terminal
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly now: () => Date
}
