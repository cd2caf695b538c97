import { apply, type Expression, type SelectShape } from '../../shape/query-shape.js'
import { mapAll } from '../../shape/rewrite-query.js'
import { blockOf, withBlock } from '../join-block.js'
import { isNotNull } from '../nullability.js'
import type { Facts } from '../table-facts.js'

/**
 * `a IS NOT DISTINCT FROM b` as `a = b` in a condition, where one of the two is never NULL: they are true for the same rows,
 * and unknown is as good as false.
 */
export function nullSafeToPlainEquality(select: SelectShape, facts: Facts): SelectShape {
  const block = blockOf(select)
  const among = (conditions: readonly Expression[]): readonly Expression[] =>
    mapAll(conditions, (condition) => {
      if (condition.kind !== 'apply' || condition.op !== 'is_not_distinct' || condition.args.length !== 2)
        return condition
      const others = conditions.filter((other) => other !== condition)
      return condition.args.some((value) => isNotNull(value, facts, others))
        ? apply('=', ...condition.args)
        : condition
    })
  const where = among(block.where)
  const lefts = mapAll(block.lefts, (left) => {
    const on = among(left.on)
    return on === left.on ? left : { ...left, on }
  })
  if (where === block.where && lefts === block.lefts) return select
  return withBlock(select, { ...block, where, lefts })
}
