import type { Expression, SelectShape } from '../shape/query-shape.js'
import { mapAll, rewriteExpression, someExpression } from '../shape/walk.js'
import { blockOf, withBlock } from './block.js'
import type { Facts } from './facts.js'
import { mayAggregate } from './functions-known.js'
import { isNotNull } from './nulls.js'

/** `coalesce(x, y)` is x where x is never NULL: what USING merges, written out, is the column of either side. */
export function dropKnownCoalesce(select: SelectShape, facts: Facts): SelectShape {
  const isCoalesce = (part: Expression): boolean => part.kind === 'apply' && part.op === 'coalesce'
  const values = [...select.outputs, ...select.groupBy, ...(select.where ? [select.where] : [])]
  if (!values.some((value) => someExpression(value, isCoalesce))) return select
  const block = blockOf(select)
  const given = block.where.filter((condition) => !someExpression(condition, isCoalesce))
  const first = (part: Expression): Expression => {
    if (part.kind !== 'apply' || part.op !== 'coalesce') return part
    const [value] = part.args
    if (value === undefined || !isNotNull(value, facts, given)) return part
    return mayAggregate(part) && !mayAggregate(value) ? part : value
  }
  const each = (value: Expression): Expression =>
    rewriteExpression(value, { expression: first, query: (query) => query })
  const [outputs, groupBy] = [mapAll(select.outputs, each), mapAll(select.groupBy, each)]
  const where = mapAll(block.where, each)
  if (outputs === select.outputs && groupBy === select.groupBy && where === block.where) return select
  return { ...withBlock(select, { ...block, where }), outputs, groupBy }
}
