import { rm } from 'node:fs/promises'
import type { ExitCode } from '../../app/exit-code.js'
import { openStoreIfThere } from '../../app/project/project-store.js'
import { runFolder } from '../../app/project/run-folder.js'
import { AutotestError } from '../../errors.js'
import { plural } from '../../report/format-text.js'
import type { CommandContext } from '../command-context.js'
import type { PruneFlags } from '../store-flags.js'

const dayMs = 86_400_000
const days: Readonly<Record<string, number>> = { d: 1, w: 7, m: 30, y: 365 }

/** Removes old runs of this project, with the reports in their folders. */
export async function pruneCommand(
  flags: PruneFlags,
  { terminal, cwd, now }: CommandContext,
): Promise<ExitCode> {
  const keepMs = durationOf(flags.keep ?? '90d')
  const isDry = flags['dry-run'] === true
  const opened = await openStoreIfThere({ ...flags, cwd }, now)
  if (opened === undefined) {
    terminal.out('No runs yet: nothing to remove')
    return 0
  }
  const { store, config } = opened
  try {
    const removed = store.pruneRuns(config.root, new Date(now().getTime() - keepMs), isDry)
    if (!isDry)
      for (const id of removed) await rm(runFolder({ config }, id), { recursive: true, force: true })
    const what = isDry ? 'would be removed' : 'removed'
    terminal.out(
      `${plural(removed.length, 'run')} ${what}${removed.length === 0 ? '' : `: ${removed.join(', ')}`}`,
    )
    return 0
  } finally {
    store.close()
  }
}

/** Returns milliseconds; throws `usage`. */
function durationOf(text: string): number {
  const [, count, unit = ''] = /^(\d+)\s*([dwmy])$/.exec(text.trim()) ?? []
  const length = days[unit]
  if (count === undefined || length === undefined)
    throw new AutotestError('usage', `--keep ${text}: must be a number of days, weeks, months or years`, {
      hint: 'Write it as 90d, 12w, 6m or 2y.',
    })
  return Number(count) * length * dayMs
}
