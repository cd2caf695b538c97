import type { Argv } from 'yargs'
import { guardFlags } from './agent-flags.js'
import type { RunCommand } from './command-context.js'

/** Declares the commands by which coding agents are held to their roles. */
export function declareGuardCommands(parser: Argv, run: RunCommand): Argv {
  return parser.command(
    'guard',
    'answer on standard input whether an agent of a role may use a tool, as a hook of coding agents does',
    (command) =>
      command
        .options(guardFlags)
        .example(
          `echo '{"tool": "Write", "path": "src/a.py"}' | $0 guard --role test-writer`,
          'denied, with the reason',
        )
        .epilogue(
          'Input: the JSON of a PreToolUse hook, or {role, tool, path, command}. Exit codes: 0 allowed · 2 denied, or it cannot be judged',
        ),
    run<{ role?: string; config?: string }>(async () => (await import('./commands/guard.js')).guardCommand),
  )
}
