import type { Argv } from 'yargs'
import type { RunCommand } from './command-context.js'
import {
  type MergeFlags,
  mergeFlags,
  type PruneFlags,
  pruneFlags,
  type ReportFlags,
  reportFlags,
  showFlags,
  storeFlags,
} from './store-flags.js'

export const runName = {
  type: 'string',
  describe: 'run id, its first characters, last, last~1 or previous',
} as const

/** Declares the commands about earlier runs. */
export function declareRunsCommands(parser: Argv, run: RunCommand): Argv {
  return parser
    .command('runs', 'earlier runs: list, show, diff, prune', (command) =>
      command
        .command(
          ['list', '$0'],
          'the latest runs',
          (sub) => sub.options(storeFlags),
          run(async () => (await import('./commands/runs.js')).listCommand),
        )
        .command(
          'show <run>',
          'one run in full',
          (sub) => sub.positional('run', runName).options(showFlags),
          run(async () => (await import('./commands/runs.js')).showCommand),
        )
        .command(
          'diff <a> <b>',
          'which cases changed verdict between two runs',
          (sub) => sub.positional('a', runName).positional('b', runName).options(storeFlags),
          run(async () => (await import('./commands/runs.js')).diffCommand),
        )
        .command(
          'prune',
          'remove old runs of this project from the run database, with their reports',
          (sub) =>
            sub
              .options(pruneFlags)
              .example('$0 runs prune --keep 30d --dry-run', 'which would be removed')
              .epilogue('Kept are runs in progress, and those with repairs or gates to be decided about.'),
          run<PruneFlags>(async () => (await import('./commands/prune.js')).pruneCommand),
        ),
    )
    .command(
      'merge <folders..>',
      'make one run of the parts that --shard ran, and repair what failed in any of them',
      (command) =>
        command
          .positional('folders', {
            type: 'string',
            array: true,
            describe: 'folders of reports, one of each shard',
          })
          .options(mergeFlags)
          .example('$0 merge shard-*/reports', 'one report of all parts')
          .example('$0 merge shard-*/reports --repair', 'and repair once what failed in any of them')
          .epilogue('Exit codes are those of a run: the worst of the parts, or that of the repairs.'),
      run<MergeFlags>(async () => (await import('./commands/merge.js')).mergeCommand),
    )
    .command(
      'report [run]',
      'a page about a run: cases, differences, repairs, trend and comparison, in one HTML file',
      (command) =>
        command
          .positional('run', { ...runName, default: 'last' })
          .options(reportFlags)
          .example('$0 report', 'of the last run, opened in a browser')
          .example('$0 report r-7f3a -o nightly.html --no-open', 'only written'),
      run<ReportFlags>(async () => (await import('./commands/report.js')).reportCommand),
    )
}
