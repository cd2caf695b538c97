import type { Argv } from 'yargs'
import { guardFlags, sandboxFlags } from './agent-flags.js'
import type { RunCommand } from './command-context.js'
import type { SandboxFlags } from './commands/sandbox.js'

/** Declares the commands by which agents are held to their roles. */
export function declareGuardCommands(parser: Argv, run: RunCommand): Argv {
  return parser
    .command(
      'roles',
      'the roles of agents: what each does, what it may write, and what was refused last',
      (command) => command.options({ config: guardFlags.config }),
      run<{ config?: string }>(async () => (await import('./commands/roles.js')).rolesCommand),
    )
    .command(
      'sandbox [command..]',
      'run a command with the rights of a role: it writes the folders of that role, and no others',
      (command) =>
        command
          .positional('command', { type: 'string', array: true, describe: 'after --: program and arguments' })
          .options(sandboxFlags)
          .example('$0 sandbox --role test-writer -- pytest -q tests/unit', 'may write tests, and no sources')
          .epilogue(
            'Exit codes: that of the command · 1 it succeeded, and something that it wrote was refused · 2 usage, no sandbox · 124 it was ended at --timeout · 130 interrupted by SIGINT or SIGTERM, nothing is taken over',
          ),
      run<SandboxFlags>(async () => (await import('./commands/sandbox.js')).sandboxCommand),
    )
    .command(
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
