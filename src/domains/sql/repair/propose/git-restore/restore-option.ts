import type { SqlCase } from '../../../../../benchmark/case.js'
import type { Metric } from '../../../../../kb/entry.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import {
  interpretationOf,
  knowledgeBaseOf,
  matchesExpected,
  type RepairContext,
  renderQuery,
} from '../../model/repair-context.js'
import type { RestoreContext } from '../../model/scoring-context.js'
import type { Diagnosis, RepairPlan } from '../../model/sql-repair-types.js'

/** A former state of an entry, with the cases that pass with it. */
export interface RestoreOption {
  readonly plan: RepairPlan
  /** The knowledge base with the plan. */
  readonly after: Snapshot
  readonly metric: Metric
  readonly undoes: readonly string[]
  readonly passingCases: ReadonlySet<string>
}

/**
 * Returns the ids of cases for which the metric would give what they expect; a judge's verdict is too weak to
 * choose by.
 */
export async function casesPassingWith(
  after: Snapshot,
  metric: Metric,
  diagnoses: readonly Diagnosis[],
  input: RestoreContext,
): Promise<Set<string>> {
  const served = new Set<string>()
  for (const { evaluation } of diagnoses) {
    const sql = renderQueryFor(evaluation.testCase, after, metric, input)
    if (input.signal.aborted) break
    if (sql === undefined) continue
    const score = await input.evaluator.scoreAnswer(evaluation.testCase, sql, input.signal)
    if (score.verdict === 'pass' && score.by !== 'judge') served.add(evaluation.testCase.id)
  }
  return served
}

/**
 * Returns the metric's snippet with the values of the question; undefined if the question does not resolve to
 * the metric.
 */
function renderQueryFor(
  testCase: SqlCase,
  snapshot: Snapshot,
  metric: Metric,
  context: RepairContext,
): string | undefined {
  const kb = knowledgeBaseOf(snapshot, context)
  const meaning = interpretationOf(testCase, kb, context)
  if (meaning.kind !== 'bound' || meaning.metric.id !== metric.id) return undefined
  return renderQuery(meaning.metric, meaning.bindings, kb, context)
}

/** Creates a plan that restores a former state of an entry. */
export function createRestorePlan(
  { label, title, reasoning, edits }: Pick<RepairPlan, 'label' | 'title' | 'reasoning' | 'edits'>,
  metric: Metric,
  about: readonly Diagnosis[],
): RepairPlan {
  return {
    label,
    subject: `metric ${metric.name}`,
    title,
    reasoning,
    edits,
    cases: about.map(({ evaluation }) => evaluation.testCase),
    goldExposed: true,
    size: JSON.stringify(edits).length,
    signature: title,
    isRestored: true,
  }
}

/** Describes what the metric gives with a plan: `matches the expected query`. */
export function describeResult(
  diagnoses: readonly Diagnosis[],
  after: Snapshot,
  context: RepairContext,
): string {
  const kb = knowledgeBaseOf(after, context)
  const saysSo = diagnoses.every(({ evaluation: { testCase } }) => {
    const meaning = interpretationOf(testCase, kb, context)
    return (
      meaning.kind === 'bound' && matchesExpected(testCase, meaning.metric, meaning.bindings, kb, context)
    )
  })
  return saysSo
    ? 'matches the expected query'
    : 'returns the rows of the expected query, which has another structure'
}
