import type { SqlCase } from '../../../../benchmark/case.js'
import { type Snapshot, withFiles } from '../../../../snapshot/snapshot.js'
import { answerOfKnowledge } from './knowledge-answer.js'
import type { History, KnowledgeChange } from './knowledge-history.js'
import type { ScoringContext } from './scoring-context.js'

/** The change of the knowledge with which a case began to fail, or with which its question lost its answer. */
export interface BreakingChange {
  /** Whether the case passed right before it; else it was answered then, and is not since. */
  readonly passedBefore: boolean
  /** How many changes of the knowledge came later. */
  readonly age: number
  /** `commit 1a2b3c4`, or `an uncommitted change`. */
  readonly by: string
  /** Files that the case's query was made of, before or after, and that the change touched. */
  readonly paths: readonly string[]
  /** Later changes of what the case's query is made of, newest first: with one of them something else may have gone wrong. */
  readonly later: readonly KnowledgeChange[]
  /** The knowledge right before and after it; files that none of the changes since touched are as today. */
  readonly before: Snapshot
  readonly after: Snapshot
}

/** The most states of which a query is run, for one case. */
const maxRuns = 20

interface Found {
  readonly bySnapshot: Map<string, Promise<BreakingChange | undefined>>
  /** The last one found of each case. */
  readonly byCase: Map<string, BreakingChange>
}

const known = new WeakMap<History, Found>()

/**
 * Returns the change of the knowledge with which a case began to fail: right before it, the case passed, and its query was another. Whatever files a
 * change touched, and however a repair would write it, a repair of the case takes that change back. For a case that never passed, or not since
 * something else went wrong: the change since which its question has no answer. Undefined if there is none, and where a run is being stopped.
 */
export function breakingChangeOf(
  testCase: SqlCase,
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<BreakingChange | undefined> {
  const { history } = context
  if (history === undefined) return Promise.resolve(undefined)
  const found = known.get(history) ?? { bySnapshot: new Map(), byCase: new Map() }
  known.set(history, found)
  const key = `${snapshot.hash}\0${testCase.id}`
  const before = found.bySnapshot.get(key)
  if (before !== undefined) return before
  const search = find(testCase, snapshot, history, context).then((change) => {
    if (change !== undefined) found.byCase.set(testCase.id, change)
    return change
  })
  found.bySnapshot.set(key, search)
  // What failed or was stopped is no answer.
  search.then(
    () => context.signal.aborted && found.bySnapshot.delete(key),
    () => found.bySnapshot.delete(key),
  )
  return search
}

/** Returns the change with which a case began to fail as far as that was found already: nothing is run. */
export function knownBreakingChange(
  { id }: SqlCase,
  { history }: Pick<ScoringContext, 'history'>,
): BreakingChange | undefined {
  return history && known.get(history)?.byCase.get(id)
}

interface State {
  readonly snapshot: Snapshot
  /** The metric's query for the case; undefined if the question resolves to none. */
  readonly sql: string | undefined
  /** Files that the query is made of; undefined: any may be. */
  readonly paths: ReadonlySet<string> | undefined
}

async function find(
  testCase: SqlCase,
  snapshot: Snapshot,
  history: History,
  context: ScoringContext,
): Promise<BreakingChange | undefined> {
  const seen = new Set<string>()
  let now = await stateOf(testCase, snapshot, context)
  let unanswered: BreakingChange | undefined
  const later: KnowledgeChange[] = []
  for (const [age, { by, paths }] of ((await history.changes?.()) ?? []).entries()) {
    if (now.paths !== undefined && !paths.some((path) => now.paths?.has(path))) continue
    if (seen.size >= maxRuns || context.signal.aborted) break
    const former = await snapshotBefore(by, now.snapshot, history)
    const [before, after] = [await stateOf(testCase, former, context), now]
    now = before
    const { sql } = before
    const concerned = new Set([...(before.paths ?? []), ...(after.paths ?? paths)])
    const touched = { by, paths: paths.filter((path) => concerned.has(path)) }
    if (sql === undefined || sql === after.sql || seen.has(sql)) {
      if (sql !== after.sql) later.push(touched)
      continue
    }
    seen.add(sql)
    const { verdict, by: judge } = await context.evaluator.scoreAnswer(testCase, sql, context.signal)
    const passedBefore = verdict === 'pass' && judge !== 'judge'
    const change = {
      ...touched,
      passedBefore,
      age,
      later: [...later],
      before: before.snapshot,
      after: after.snapshot,
    }
    if (passedBefore) return change
    if (unanswered === undefined && after.sql === undefined) unanswered = change
    later.push(touched)
  }
  return unanswered
}

/** Returns the knowledge before a change, with the files that it did not touch as they are. */
async function snapshotBefore(by: string, snapshot: Snapshot, history: History): Promise<Snapshot> {
  const bytes = (text: string | undefined) => (text === undefined ? null : new TextEncoder().encode(text))
  const changed = await history.knowledgeChangedBy(by)
  return withFiles(snapshot, new Map(changed.map(({ path, before }) => [path, bytes(before)])))
}

async function stateOf(testCase: SqlCase, snapshot: Snapshot, context: ScoringContext): Promise<State> {
  const answer = await answerOfKnowledge(testCase, snapshot, context)
  return { snapshot, sql: answer?.sql, paths: answer && new Set(answer.paths) }
}
