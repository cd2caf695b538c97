import type { SqlCase } from '../../../../benchmark/case.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { canonicalForm } from '../../../../sql/index.js'
import { changesSql } from '../model/changed-choices.js'
import {
  expectedSqlFor,
  interpretationOf,
  knowledgeBaseOf,
  matchesExpected,
  type RepairContext,
  renderQuery,
} from '../model/knowledge.js'
import type { RepairPlan, SqlEvaluation } from '../model/plan.js'

/**
 * Whether what a plan writes is the expected query in structure, for every case that its metrics can be asked for. Rows that
 * agree are one answer of today's data: what else the query says, another day or another market may tell.
 *
 * @param cases those that it was made for, and those kept from whoever made it
 * @param after what the agent makes of them
 */
export function isStructurallyEqual(
  plan: RepairPlan,
  cases: readonly SqlCase[],
  snapshot: Snapshot,
  candidate: Snapshot,
  after: ReadonlyMap<string, SqlEvaluation>,
  context: RepairContext,
): boolean {
  const kb = knowledgeBaseOf(candidate, context)
  if (!changesSql(plan, snapshot, candidate, context)) return true
  return cases.every((testCase) => {
    if (after.get(testCase.id)?.score.by === 'structure') return true
    const meaning = interpretationOf(testCase, kb, context)
    const expected = expectedSqlFor(testCase, context)
    if (meaning.kind !== 'bound' || expected === undefined) return true
    if (renderQuery(meaning.metric, meaning.bindings, kb, context) === undefined) return true
    // An expected query that cannot be read is no measure.
    if (canonicalForm(context.parser, expected, context.dialect) === undefined) return true
    return matchesExpected(testCase, meaning.metric, meaning.bindings, kb, context)
  })
}
