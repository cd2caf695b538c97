import type { SqlCase } from '../../../../benchmark/case.js'
import type { KnowledgeBase, Metric } from '../../../../kb/entry.js'
import type { Binding, Interpretation } from '../../../../kb/question-interpretation.js'
import { readText, type Snapshot, withFiles } from '../../../../snapshot/snapshot.js'
import { areEquivalent } from '../../../../sql/index.js'
import type { HistoryContext } from '../model/knowledge-history.js'
import {
  expectedSqlFor,
  interpretationOf,
  knowledgeBaseOf,
  matchesExpected,
  type RepairContext,
  renderQuery,
  snippetOf,
} from '../model/repair-context.js'
import type { ScoringContext } from '../model/scoring-context.js'
import type { RepairPlan } from '../model/sql-repair-types.js'

/**
 * Returns why the expected query of a plan's only case is suspect: it was changed, and nothing else supports
 * the change. The knowledge still gives what the case expected before, or neither, and never gave what it
 * expects now. Then the benchmark may have drifted, unless the knowledge is meant to follow, which a second
 * case can confirm.
 *
 * @param isRestored whether the knowledge once gave what the case expects now
 */
export async function findChangedExpectedQuery(
  plan: RepairPlan,
  snapshot: Snapshot,
  isRestored: boolean,
  context: HistoryContext & Pick<ScoringContext, 'evaluator' | 'signal'>,
): Promise<string | undefined> {
  const [testCase, ...more] = plan.cases
  if (testCase === undefined || more.length > 0 || plan.label !== 'wrong_definition') return undefined
  const kb = knowledgeBaseOf(snapshot, context)
  const meaning = interpretationOf(testCase, kb, context)
  if (meaning.kind !== 'bound') return undefined
  for (const { question, sql, by } of (await context.history?.queriesOf(testCase)) ?? []) {
    const former = { ...testCase, question, expectedSql: sql }
    if (expectSameQuery(former, testCase, context)) continue
    const before = interpretationOf(former, kb, context)
    // A different question expects a different query.
    if (before.kind !== 'bound' || bindingsOf(before) !== bindingsOf(meaning)) return undefined
    const { metric, bindings } = before
    if (isRestored && (await hasDriftedSince(by, testCase, metric, snapshot, context))) return undefined
    if (
      matchesExpected(former, metric, bindings, kb, context) ||
      (await returnsExpectedRows(former, metric, bindings, kb, context))
    )
      return `${by} modified its expected query; metric ${metric.name} matches the previous one, and no other case supports the change`
    return isRestored
      ? undefined
      : `${by} modified its expected query, which metric ${metric.name} never matched, and no other case supports the change`
  }
  return undefined
}

/**
 * Reports whether the metric gave what the case expects right after the change of the case, or later: then
 * the knowledge has changed since.
 */
async function hasDriftedSince(
  by: string,
  testCase: SqlCase,
  metric: Metric,
  snapshot: Snapshot,
  context: HistoryContext,
): Promise<boolean> {
  const path = snippetOf(metric, knowledgeBaseOf(snapshot, context))?.path
  const then = path && (await context.history?.textAfter?.(path, by))
  if (path === undefined || then === undefined || then === readText(snapshot, path)) return false
  const texts = (await context.history?.versionsOf(path)) ?? []
  const first = texts.findIndex(({ text }) => text === then)
  return texts.slice(0, first + 1).some(({ text }) => {
    const kb = knowledgeBaseOf(
      withFiles(snapshot, new Map([[path, new TextEncoder().encode(text)]])),
      context,
    )
    const meaning = interpretationOf(testCase, kb, context)
    return (
      meaning.kind === 'bound' && matchesExpected(testCase, meaning.metric, meaning.bindings, kb, context)
    )
  })
}

/**
 * Describes that one change gave all cases of a plan another expected query: they agree, but the plan still
 * follows one person's decision. Empty if one of them expects what it always did, or was changed separately.
 */
export async function describeJointChange(
  { cases }: RepairPlan,
  snapshot: Snapshot,
  context: HistoryContext,
): Promise<string[]> {
  const kb = knowledgeBaseOf(snapshot, context)
  const changes = new Set<string>()
  for (const testCase of cases.length > 1 ? cases : []) {
    const meaning = interpretationOf(testCase, kb, context)
    const queries = (await context.history?.queriesOf(testCase)) ?? []
    const former = queries.find(
      ({ sql }) => !expectSameQuery({ ...testCase, expectedSql: sql }, testCase, context),
    )
    const asked = former && interpretationOf({ ...testCase, question: former.question }, kb, context)
    // A different question expects a different query.
    if (former === undefined || asked === undefined || bindingsOf(asked) !== bindingsOf(meaning)) return []
    changes.add(former.by)
  }
  const [by, ...more] = changes
  if (by === undefined || more.length > 0) return []
  const date = await context.history?.dateOf?.(by)
  const when = date === undefined ? by : `${by} (${date})`
  return [`the expected queries of all ${cases.length} cases were changed together by ${when}`]
}

/** Reports whether the metric returns what the case expects, in any structure. */
async function returnsExpectedRows(
  testCase: SqlCase,
  metric: Metric,
  bindings: readonly Binding[],
  kb: KnowledgeBase,
  context: RepairContext & Pick<ScoringContext, 'evaluator' | 'signal'>,
): Promise<boolean> {
  const sql = renderQuery(metric, bindings, kb, context)
  if (sql === undefined) return false
  const { verdict, by } = await context.evaluator.scoreAnswer(testCase, sql, context.signal)
  return verdict === 'pass' && by !== 'judge'
}

function expectSameQuery(former: SqlCase, now: SqlCase, context: RepairContext): boolean {
  const [one, other] = [former, now].map((testCase) => expectedSqlFor(testCase, context))
  if (one === undefined || other === undefined) return true
  return areEquivalent(context.parser, one, other, context.dialect)
}

function bindingsOf(meaning: Interpretation): string {
  return JSON.stringify([
    meaning.metric?.id,
    meaning.bindings.map(({ parameter, value }) => [parameter, value]),
  ])
}
