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
} from '../model/repair-context.js'
import type { RepairPlan, SqlEvaluation } from '../model/sql-repair-types.js'

/**
 * Reports whether the query that a plan writes has the structure of the expected query, for every case that
 * its metrics can be asked for. Equal rows are one result on today's data: another day or another market may
 * show other differences.
 *
 * @param cases the cases that the plan was made for, and those held out while it was made
 * @param after the agent's evaluations of these cases with the plan
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
    // An expected query that cannot be parsed cannot be compared with.
    if (canonicalForm(context.parser, expected, context.dialect) === undefined) return true
    return matchesExpected(testCase, meaning.metric, meaning.bindings, kb, context)
  })
}
