import type { ExitCode } from '../../app/exit-code.js'
import { openProjectStore } from '../../app/project/project-store.js'
import { AutotestError } from '../../errors.js'
import { caseHistoryLines } from '../../report/console/case-history.js'
import type { RunStore } from '../../store/store.js'
import { nearest } from '../../text/nearest-word.js'
import type { CommandContext } from '../command-context.js'
import type { StoreFlags } from '../store-flags.js'

/** Number of runs shown; with --verbose all. */
const shownRuns = 50

/** Prints the history of a case: its verdict in each run, what changed in between, and the repairs for it. */
export async function whyCommand(
  flags: StoreFlags & { readonly case: string },
  { terminal, cwd, now }: CommandContext,
): Promise<ExitCode> {
  const { store } = await openProjectStore({ ...flags, cwd }, now)
  try {
    const limit = flags.verbose === true ? Number.MAX_SAFE_INTEGER : shownRuns
    const chapters = store.caseHistory(flags.case, { limit })
    if (chapters.length === 0) throw unknownCase(flags.case, store)
    const screen = { width: terminal.width, color: terminal.color }
    for (const line of caseHistoryLines(chapters, screen)) terminal.out(line)
    if (chapters.length === limit) terminal.out(`\nthe latest ${limit} runs; all of them: --verbose`)
    return 0
  } finally {
    store.close()
  }
}

function unknownCase(id: string, store: RunStore): AutotestError {
  const known = store.caseIds()
  const meant = nearest(id, known)
  const hint =
    known.length === 0
      ? 'No runs yet: start with autotest.'
      : meant === undefined
        ? 'autotest --list shows the cases; the history of a case begins with its first run.'
        : `did you mean ${meant}?`
  return new AutotestError('usage', `no run has a case "${id}"`, { hint })
}
