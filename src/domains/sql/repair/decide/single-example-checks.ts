import type { SqlCase } from '../../../../benchmark/case.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { queriesChangedBy } from '../model/changed-queries.js'
import { createdMetrics } from '../model/created-metrics.js'
import { knowledgeBaseOf, type RepairContext } from '../model/repair-context.js'
import type { RepairPlan } from '../model/sql-repair-types.js'
import { checkAliases } from './single-example-checks/alias-check.js'
import { checkChoiceExpressions } from './single-example-checks/choice-expression-check.js'
import { checkEnumValues } from './single-example-checks/enum-value-check.js'
import { checkConventions } from './single-example-checks/kb-conventions.js'
import { checkLiterals } from './single-example-checks/literal-check.js'
import { metricsWithSameQuery } from './single-example-checks/metrics-with-same-query.js'
import { checkOtherMeanings } from './single-example-checks/other-meanings.js'

/**
 * Returns concerns about the parts of a plan that rest on a single case and on nothing that its twins vary:
 * such a plan needs a case that it was not made from (grade E2). Empty if the twins are evidence enough.
 *
 * @param isRestored whether the snippet once had the same meaning: then nothing in its SQL is new
 */
export function checkSingleExample(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  isRestored: boolean,
  context: RepairContext & { readonly benchmark: readonly SqlCase[] },
): string[] {
  const kb = knowledgeBaseOf(snapshot, context)
  const isNew = createdMetrics(snapshot, candidate, context).length > 0
  // An inferred change is known to be right if the author once wrote it; one that only returns the same rows
  // is not.
  const isConfirmed = isRestored && plan.isRestored !== true
  return [
    ...(plan.concerns ?? []),
    // Two metrics that had the same meaning before are no sign that the case refers to the other one.
    ...(isConfirmed ? [] : duplicateMetrics(plan, snapshot, candidate, context)),
    ...(isNew && plan.isRestored !== true ? ['only one case supports the new metric'] : []),
    ...checkAliases(plan, snapshot, kb, context),
    ...checkOtherMeanings(plan, snapshot, candidate, context),
    ...checkEnumValues(plan, kb, context),
    // If the plan states its own concerns, its evidence has been weighed already.
    ...(isRestored || plan.concerns !== undefined
      ? []
      : checkChoiceExpressions(plan, kb, knowledgeBaseOf(candidate, context), context)),
    ...(isRestored ? [] : checkLiterals(plan, snapshot, candidate, kb, context)),
    ...(isConfirmed ? [] : checkConventions(plan, snapshot, candidate, context)),
  ]
}

/**
 * Reports another metric that already has the meaning that the plan would give its own metric: the case may
 * refer to that one. If several metrics share it, the definition is repeated on purpose, and the one that
 * differs has drifted.
 */
function duplicateMetrics(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: RepairContext,
): string[] {
  const isRewritten = queriesChangedBy(plan, snapshot, candidate, context).some(
    ({ before }) => (before?.text ?? '').trim() !== '',
  )
  if (plan.cases.length > 1 || !isRewritten) return []
  const known = new Set(metricsWithSameQuery(plan, snapshot, context).map(({ snippet }) => snippet.name))
  const [other, ...more] = metricsWithSameQuery(plan, candidate, context).filter(
    ({ snippet }) => !known.has(snippet.name),
  )
  if (other === undefined || more.length > 0) return []
  return [`only one case supports the change, and metric ${other.metric} already covers it`]
}
