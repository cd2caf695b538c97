import type { SqlCase } from '../../../../../benchmark/case.js'
import type { KnowledgeBase } from '../../../../../kb/entry.js'
import { changedChoices } from '../../model/changed-choices.js'
import { findRemovedLine } from '../../model/removed-lines.js'
import { interpretationOf, type RepairContext } from '../../model/repair-context.js'
import type { RepairPlan } from '../../model/sql-repair-types.js'

/**
 * Reports expressions of choices that rest on a single case. Its twins take them from the same expected query
 * and so prove nothing about them: another metric must have the same expression for the value, or the file
 * itself must have had it once. An expression that is added together with its words is judged by
 * `checkAliases`.
 */
export function checkChoiceExpressions(
  plan: RepairPlan,
  before: KnowledgeBase,
  after: KnowledgeBase,
  context: RepairContext,
): string[] {
  return changedChoices(plan, before, after).flatMap(({ metric, parameter, code, sql, former }) => {
    const declared = metric.parameters.get(parameter)
    const words = declared?.type === 'choice' ? declared.values.get(code)?.aliases : undefined
    if (former === undefined && (words ?? []).length > 0) return []
    const asks = (testCase: SqlCase): boolean => {
      const meaning = interpretationOf(testCase, after, context)
      return (
        meaning.kind === 'bound' &&
        meaning.metric.id === metric.id &&
        meaning.bindings.some(
          ({ parameter: name, value }) =>
            name === parameter && value.kind === 'choice' && value.name === code,
        )
      )
    }
    if (plan.cases.filter(asks).length > 1 || findRemovedLine(sql, metric.path, context) !== undefined)
      return []
    const isUsual = before.metrics.some((other) => {
      const same = other.id === metric.id ? undefined : other.parameters.get(parameter)
      return same?.type === 'choice' && same.values.get(code)?.sql === sql
    })
    return isUsual ? [] : [`only one case supports ${sql} for ${parameter} ${code}`]
  })
}
