import type { SqlCase } from '../../../../benchmark/case.js'
import type { KnowledgeBase, Metric } from '../../../../kb/entry.js'
import type { Binding, Interpretation } from '../../../../kb/interpretation.js'
import { readText, type Snapshot, withFiles } from '../../../../snapshot/snapshot.js'
import { areEquivalent } from '../../../../sql/index.js'
import type { ScoringContext } from '../model/context.js'
import type { HistoryContext } from '../model/history.js'
import {
  expectedSqlFor,
  interpretationOf,
  knowledgeBaseOf,
  matchesExpected,
  type RepairContext,
  renderQuery,
  snippetOf,
} from '../model/knowledge.js'
import type { RepairPlan } from '../model/plan.js'

/**
 * Why the expected query of a plan's only case is suspect: it was changed, and nothing else asks for the change. The
 * knowledge still says what the case expected before, or neither, and never said what it expects now. What drifted may
 * then be the benchmark, unless somebody means the knowledge to follow, which a second case can say.
 *
 * @param isRestored whether the knowledge once said what the case expects now
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
    // Another question expects another query.
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
 * Whether the metric said what the case expects right after the change that made it expect that, or later: what changed
 * since is the knowledge.
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
 * That one change gave all cases of a plan another expected query: they agree, and yet it is one person's word that the
 * plan follows. Empty where one of them expects what it always did, or was changed on its own.
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
    // Another question expects another query.
    if (former === undefined || asked === undefined || bindingsOf(asked) !== bindingsOf(meaning)) return []
    changes.add(former.by)
  }
  const [by, ...more] = changes
  if (by === undefined || more.length > 0) return []
  const date = await context.history?.dateOf?.(by)
  const when = date === undefined ? by : `${by} (${date})`
  return [`the expected queries of all ${cases.length} cases were changed together by ${when}`]
}

/** Whether the metric gives what the case expects, in whatever structure. */
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
