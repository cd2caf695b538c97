import { diffArrays } from 'diff'
import type { SqlCase } from '../benchmark/case.js'
import { changedPaths, readText, type Snapshot, withFiles } from '../snapshot/snapshot.js'
import { compareQueries } from '../sql/compare.js'
import { expectedFor, knowledgeOf, meaningOf, type RepairContext, saysExpected } from './knowledge.js'
import type { RepairPlan } from './plan.js'
import { planned } from './planned.js'
import { textEdits } from './propose/edits.js'

/** What is known of earlier states of the knowledge and of the benchmark; nothing is read before it is asked for. */
export interface History {
  /** What a file of the knowledge base held before each change, newest first. */
  textsOf(path: string): Promise<readonly { readonly text: string }[]>
  /** What a case expected before each change, newest first, as far as it can be run today. */
  queriesOf(testCase: SqlCase): Promise<readonly FormerQuery[]>
}

export interface FormerQuery {
  readonly question: string
  readonly sql: string
  /** What changed it: `commit 1a2b3c4`. */
  readonly by: string
}

export interface HistoryContext extends RepairContext {
  readonly history?: History | undefined
}

/** The plan as the file's author once wrote it, where that says the same in no more changed lines. */
export async function inAuthorsWords(
  plan: RepairPlan,
  snapshot: Snapshot,
  context: HistoryContext,
): Promise<{ readonly plan: RepairPlan; readonly isFormer: boolean }> {
  const untouched = { plan, isFormer: false }
  const candidate = planned(plan, snapshot)
  if (candidate === undefined || context.history === undefined) return untouched
  const [path, ...more] = changedPaths(snapshot, candidate)
  const [now, then] = [snapshot, candidate].map((each) => readText(each, path ?? ''))
  if (path === undefined || more.length > 0) return untouched
  if (now === undefined || then === undefined) return untouched
  for (const { text } of await context.history.textsOf(path)) {
    if (text.trim() === '' || !saysAll(plan, path, text, candidate, context)) continue
    const isShorter =
      path.endsWith('.sql') &&
      changedLines(now, text) <= changedLines(now, then) &&
      losesNoMore(lostWords(now, text), lostWords(now, then))
    return { plan: isShorter ? { ...plan, edits: textEdits(path, now, text) } : plan, isFormer: true }
  }
  return untouched
}

function saysAll(
  plan: RepairPlan,
  path: string,
  text: string,
  candidate: Snapshot,
  context: RepairContext,
): boolean {
  const former = withFiles(candidate, new Map([[path, new TextEncoder().encode(text)]]))
  const kb = knowledgeOf(former, context)
  return plan.cases.every((testCase) => {
    const meaning = meaningOf(testCase, kb, context)
    return meaning.kind === 'bound' && saysExpected(testCase, meaning.metric, meaning.bindings, kb, context)
  })
}

/** A comment of today is worth more than the wording of yesterday. */
function losesNoMore(lost: ReadonlyMap<string, number>, others: ReadonlyMap<string, number>): boolean {
  return [...lost].every(([word, count]) => count <= (others.get(word) ?? 0))
}

/** How many of each word and sign go with a change, in whatever letter case. */
function lostWords(before: string, after: string): Map<string, number> {
  const counts = new Map<string, number>()
  const count = (text: string, by: number): void => {
    for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu))
      counts.set(word, (counts.get(word) ?? 0) + by)
  }
  count(before, 1)
  count(after, -1)
  return new Map([...counts].filter(([, left]) => left > 0))
}

/** Lines of either text that a diff of the two shows. */
function changedLines(one: string, other: string): number {
  const [ours, theirs] = [one, other].map((text) => text.split('\n')) as [string[], string[]]
  return diffArrays(ours, theirs)
    .filter(({ added, removed }) => added || removed)
    .reduce((sum, { value }) => sum + value.length, 0)
}

/**
 * Why the expected query of a plan's only case is suspect: it was changed, and nothing else asks for the change. The
 * knowledge still says what the case expected before, or neither, and never said what it expects now. What drifted may
 * then be the benchmark, unless somebody means the knowledge to follow, which a second case can say.
 *
 * @param isFormer whether the knowledge once said what the case expects now
 */
export async function changedQuery(
  plan: RepairPlan,
  snapshot: Snapshot,
  isFormer: boolean,
  context: HistoryContext,
): Promise<string | undefined> {
  const [testCase, ...more] = plan.cases
  if (testCase === undefined || more.length > 0 || plan.label !== 'wrong_definition') return undefined
  const kb = knowledgeOf(snapshot, context)
  const meaning = meaningOf(testCase, kb, context)
  if (meaning.kind !== 'bound') return undefined
  for (const { question, sql, by } of (await context.history?.queriesOf(testCase)) ?? []) {
    const former = { ...testCase, question, expectedSql: sql }
    if (areSame(former, testCase, context)) continue
    const before = meaningOf(former, kb, context)
    // Another question expects another query.
    if (before.kind !== 'bound' || bindingsOf(before) !== bindingsOf(meaning)) return undefined
    const { metric, bindings } = before
    if (saysExpected(former, metric, bindings, kb, context))
      return `${by} gave it another expected query; metric ${metric.name} says what it expected before, and no other case asks for the change`
    return isFormer
      ? undefined
      : `${by} gave it another expected query, which metric ${metric.name} never said, and no other case asks for the change`
  }
  return undefined
}

function areSame(former: SqlCase, now: SqlCase, context: RepairContext): boolean {
  const [one, other] = [former, now].map((testCase) => expectedFor(testCase, context))
  if (one === undefined || other === undefined) return true
  return compareQueries(context.parser, one, other, context.dialect).kind === 'equal'
}

function bindingsOf(meaning: Extract<ReturnType<typeof meaningOf>, { kind: 'bound' }>): string {
  return JSON.stringify([
    meaning.metric.id,
    meaning.bindings.map(({ parameter, value }) => [parameter, value]),
  ])
}
