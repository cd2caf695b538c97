import type { SqlCase } from '../../../../../benchmark/case.js'
import { readText, type Snapshot, withFiles } from '../../../../../snapshot/snapshot.js'
import { interpretationOf, knowledgeBaseOf, renderQuery } from '../../model/repair-context.js'
import type { ScoringContext } from '../../model/scoring-context.js'
import type { UndoneChange } from './undone-changes.js'

/** One file of a change with which a case began to fail. */
export interface BreakingChange {
  readonly path: string
  readonly change: UndoneChange
}

/** Limits of the states of which a query is run, for one case and for all of a plan. */
const [maxRuns, maxRunsOfPlan] = [20, 60]

/**
 * Returns the changes of the knowledge with which cases began to fail: right before one, its case passed, and its query was another. Whatever files a
 * change touched, and however the repair would write it, a repair of the case takes that change back. A case that never passed, or not since
 * something else went wrong, shows none.
 */
export async function breakingChanges(
  cases: readonly SqlCase[],
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<BreakingChange[]> {
  const found = new Map<string, readonly BreakingChange[]>()
  let runs = 0
  for (const testCase of cases) {
    if (runs >= maxRunsOfPlan || context.signal.aborted) break
    const outcome = await breakingChangeOf(testCase, snapshot, context)
    runs += outcome.runs
    for (const each of outcome.files) found.set(each.change.by, outcome.files)
  }
  return [...found.values()].flat()
}

interface State {
  readonly snapshot: Snapshot
  /** The metric's query for the case; undefined if the question resolves to none. */
  readonly sql: string | undefined
  /** Files that the query is made of; undefined: any may be. */
  readonly paths: ReadonlySet<string> | undefined
}

async function breakingChangeOf(
  testCase: SqlCase,
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<{ readonly runs: number; readonly files: readonly BreakingChange[] }> {
  const seen = new Set<string>()
  let now = stateOf(testCase, snapshot, context)
  for (const { by, paths } of (await context.history?.changes?.()) ?? []) {
    if (now.paths !== undefined && !paths.some((path) => now.paths?.has(path))) continue
    if (seen.size >= maxRuns || context.signal.aborted) break
    const before = stateOf(testCase, await snapshotBefore(by, now.snapshot, context), context)
    const [sql, after] = [before.sql, now]
    now = before
    if (sql === undefined || sql === after.sql || seen.has(sql)) continue
    seen.add(sql)
    const { verdict, by: judge } = await context.evaluator.scoreAnswer(testCase, sql, context.signal)
    if (verdict !== 'pass' || judge === 'judge') continue
    const concerned = new Set([...(before.paths ?? []), ...(after.paths ?? [])])
    const files = paths
      .filter((path) => concerned.has(path))
      .map((path) => ({
        path,
        change: {
          by,
          before: readText(before.snapshot, path) ?? '',
          after: readText(after.snapshot, path) ?? '',
        },
      }))
    return { runs: seen.size, files }
  }
  return { runs: seen.size, files: [] }
}

/** Returns the knowledge before a change, with the files that it did not touch as they are. */
async function snapshotBefore(by: string, snapshot: Snapshot, context: ScoringContext): Promise<Snapshot> {
  const changed = (await context.history?.knowledgeChangedBy(by)) ?? []
  return withFiles(
    snapshot,
    new Map(
      changed.map(({ path, before }) => [
        path,
        before === undefined ? null : new TextEncoder().encode(before),
      ]),
    ),
  )
}

function stateOf(testCase: SqlCase, snapshot: Snapshot, context: ScoringContext): State {
  const kb = knowledgeBaseOf(snapshot, context)
  const meaning = interpretationOf(testCase, kb, context)
  if (meaning.kind !== 'bound') return { snapshot, sql: undefined, paths: undefined }
  const { metric, bindings } = meaning
  const snippet = kb.snippets.get(metric.snippet)
  return {
    snapshot,
    sql: renderQuery(metric, bindings, kb, context),
    paths: new Set([metric.path, ...(snippet === undefined ? [] : [snippet.path])]),
  }
}
