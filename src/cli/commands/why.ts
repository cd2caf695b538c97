import type { ExitCode } from '../../app/exit-code.js'
import { historyOfCase } from '../../app/project/case-history.js'
import { openProjectStore } from '../../app/project/project-store.js'
import { AutotestError } from '../../errors.js'
import { caseHistoryLines } from '../../report/console/case-history.js'
import { traceLines } from '../../report/console/trace.js'
import type { RunStore } from '../../store/store.js'
import type { Trace } from '../../subagent/runner/trace.js'
import type { CommandContext } from '../command-context.js'
import type { StoreFlags } from '../store-flags.js'

/** Number of runs shown; with --verbose all. */
const shownRuns = 50

/** Prints the history of a case: its verdict in each run, what changed in between, and the repairs for it. */
export async function whyCommand(
  flags: StoreFlags & { readonly case: string; readonly trace?: boolean | undefined },
  { terminal, cwd, now }: CommandContext,
): Promise<ExitCode> {
  const { store } = await openProjectStore({ ...flags, cwd }, now)
  try {
    const limit = flags.verbose === true ? Number.MAX_SAFE_INTEGER : shownRuns
    const chapters = historyOfCase(store, flags.case, { limit })
    const screen = { width: terminal.width, color: terminal.color }
    for (const line of caseHistoryLines(chapters, screen)) terminal.out(line)
    if (flags.trace === true)
      for (const line of lastTrace(flags.case, store, terminal.width)) terminal.out(line)
    if (chapters.length === limit) terminal.out(`\nthe latest ${limit} runs; all of them: --verbose`)
    return 0
  } finally {
    store.close()
  }
}

/** Returns what an agent with tools did for the case in its last run. */
function lastTrace(id: string, store: RunStore, width: number): string[] {
  const [last] = store.caseHistory(id, { limit: 1 })
  // Written by this program, so its shape is trusted.
  const trace = last && (store.traceOf(last.run.id, id) as Trace | undefined)
  if (last === undefined || trace === undefined)
    throw new AutotestError('usage', `nothing is known of what the agent did for ${id}`, {
      hint: 'Only agents with tools (agent.kind: subagent) have a trace.',
    })
  return ['', `What the agent did in ${last.run.id}`, ...traceLines(trace, width).map((line) => `  ${line}`)]
}
