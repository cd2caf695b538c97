import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { interpretationOf, knowledgeBaseOf, type RepairContext } from '../model/repair-context.js'
import type { RepairPlan } from '../model/sql-repair-types.js'

/**
 * Returns why a plan must not make a question resolve to another metric than now: every word of it was known,
 * and the name in it still belongs to the present metric. `market GMV` as a name of another metric answers
 * one or two cases, and leaves GMV as wrong as it was. A name that the present metric loses may belong to
 * another one.
 */
export function findReroutedQuestions(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: RepairContext,
): string[] {
  const [before, after] = [knowledgeBaseOf(snapshot, context), knowledgeBaseOf(candidate, context)]
  return plan.cases.flatMap((testCase) => {
    const [old, now] = [
      interpretationOf(testCase, before, context),
      interpretationOf(testCase, after, context),
    ]
    if (old.kind !== 'bound' || now.metric === undefined || now.metric.id === old.metric.id) return []
    const name = old.aliasSpan.text.toLowerCase()
    const still = after.metrics.find(({ id }) => id === old.metric.id)
    return still?.aliases.some((alias) => alias.toLowerCase() === name) === true
      ? [`case ${testCase.id} names ${old.metric.name}, and would resolve to ${now.metric.name}`]
      : []
  })
}
