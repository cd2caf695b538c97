import type { Terminal } from './terminal.js'

/** The context of a command, besides its flags. */
export interface CommandContext {
  readonly terminal: Terminal
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly now: () => Date
}

/** A command, by its flags as parsed; returns the exit code, which is `ExitCode` but for a command that runs another. */
export type Command<Flags> = (flags: Flags, context: CommandContext) => Promise<number>

/** Returns what a parser calls for a command, which is loaded only then. */
export type RunCommand = <Flags>(
  load: () => Promise<Command<Flags>>,
) => (flags: Readonly<Record<string, unknown>>) => Promise<void>
