import type { Argv } from 'yargs'
import type { RunCommand } from './command-context.js'
import {
  type GateAnswerFlags,
  type GatesFlags,
  gateAnswerFlags,
  gatesFlags,
  type TddFlags,
  tddFlags,
} from './tdd-flags.js'

/** Declares the commands of test-driven development with three roles, and of the gates on which work waits. */
export function declareTddCommands(parser: Argv, run: RunCommand): Argv {
  return parser
    .command(
      'tdd <task>',
      'build what a task describes: tests first, then code; a test-writer, a coder and a debugger that cannot reach into each other’s work',
      (command) =>
        command
          .positional('task', {
            type: 'string',
            describe: 'YAML or Markdown: task, design, acceptance criteria, interfaces, target test path',
          })
          .options(tddFlags)
          .example('$0 tdd tasks/discount.yaml', 'start, or go on from where it stood')
          .example('$0 tdd tasks/discount.md --dry-run', 'show the diff, write nothing')
          .epilogue(
            'Exit codes: 0 built and written · 1 given up · 2 usage, no Python, pytest or sandbox · 3 a process failed · 4 budget · 6 waits for a person (autotest gates) · 130 interrupted',
          ),
      run<TddFlags>(async () => (await import('./commands/tdd.js')).tddCommand),
    )
    .command('gates', 'what waits for a decision of a person: list, answer', (command) =>
      command
        .command(
          ['list', '$0'],
          'the open gates, with their choices',
          (sub) => sub.options(gatesFlags),
          run<GatesFlags>(async () => (await import('./commands/gates.js')).listGatesCommand),
        )
        .command(
          'answer <id>',
          'answer a gate; the next run of its task carries it out',
          (sub) =>
            sub
              .positional('id', { type: 'string', demandOption: true, describe: 'id of the gate, as g-12ab' })
              .options(gateAnswerFlags)
              .example('$0 gates answer g-12ab --choice A', ''),
          run<GateAnswerFlags>(async () => (await import('./commands/gates.js')).answerGateCommand),
        ),
    )
}
