import { isNull } from '../../conditions/boolean-expressions.js'
import { buildCase, mapCaseResults, searchedCaseOf } from '../../conditions/case-expression.js'
import { isNumberLiteral } from '../../functions/function-table.js'
import { apply, type Expression, type SelectShape } from '../../shape/query-shape.js'
import { mapAll } from '../../shape/rewrite-query.js'
import { mapResultValues } from '../values/map-result-values.js'
import { hasGroupingSets } from './grouping-sets.js'

/**
 * A group has a row, so that `coalesce(sum(x), 0)` is `sum(coalesce(x, 0))`; and the sum of a CASE that is else NULL is,
 * with 0 for NULL, the sum of one that is else 0.
 */
export function pushCoalesceIntoSum(select: SelectShape): SelectShape {
  if (select.groupBy.length === 0 || select.extras.length > 0 || hasGroupingSets(select)) return select
  const change = (value: Expression): Expression => {
    if (value.kind !== 'apply' || value.op === 'over') return value
    const [sum, zero, ...others] = value.args
    const isZero = value.op === 'coalesce' && isNumberLiteral(zero, '0') && others.length === 0
    if (isZero && zero !== undefined && sum?.kind === 'apply' && sum.op === 'sum' && sum.args.length === 1) {
      const [added] = sum.args
      const isDistinct = added?.kind === 'apply' && added.op === 'distinct'
      if (added !== undefined && !isDistinct) return apply('sum', orZero(added, zero))
    }
    const args = mapAll(value.args, change)
    return args === value.args ? value : { ...value, args }
  }
  return mapResultValues(select, change)
}

function orZero(value: Expression, zero: Expression): Expression {
  if (isNull(value)) return zero
  if (value.kind === 'literal') return value
  const cases = searchedCaseOf(value)
  return cases === undefined
    ? apply('coalesce', value, zero)
    : buildCase(mapCaseResults(cases, (result) => orZero(result, zero)))
}
