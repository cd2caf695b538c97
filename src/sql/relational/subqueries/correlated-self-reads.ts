import type { LeafNode } from '../../normalize/join-pool.js'
import { conjuncts, type Expression, type SelectShape } from '../../shape/query-shape.js'
import { includesExpression, replaceColumnsIn } from '../column-references.js'
import { blockOf, type JoinBlock } from '../join-block.js'
import { isStable } from '../known-functions.js'
import { assumeNotNull, isNotNull } from '../nullability.js'
import type { Facts } from '../table-facts.js'
import { hasTotalOrder } from './simplify-scalar-subqueries.js'

/** A table around a subquery and the same table in it. */
export interface CorrelatedSelfRead {
  readonly here: LeafNode
  readonly there: LeafNode
}

/**
 * The table around a subquery of which it reads again rows that agree with this one; the row itself surely is one of those
 * that satisfy the conditions. May assume that what must agree is never NULL.
 */
export function findCorrelatedSelfRead(
  query: SelectShape,
  outer: JoinBlock,
  facts: Facts,
  conditions: readonly Expression[],
): CorrelatedSelfRead | undefined {
  const { items, lefts, where } = blockOf(query)
  const [item, ...more] = items
  if (item?.kind !== 'table' || more.length + lefts.length + item.extras.length > 0) return undefined
  if (!where.every(isStable)) return undefined
  const found = outer.items.find((here) => {
    if (here.kind !== 'table' || here.name !== item.name || here.extras.length > 0) return false
    return conditions.every((condition) => {
      const told = replaceColumnsIn(condition, (column) =>
        column.source === item.id ? { ...column, source: here.id } : undefined,
      )
      if (includesExpression(outer.where, told)) return true
      const [a, b] = told.kind === 'apply' && told.op === '=' ? told.args : []
      const isItself = a?.kind === 'column' && b?.kind === 'column' && a.name === b.name
      return (
        isItself && a.source === here.id && b.source === here.id && isNonNullAndSelfEqual(a, outer, facts)
      )
    })
  })
  return found?.kind === 'table' ? { here: found, there: item } : undefined
}

/** Whether a column is never NULL and equals itself, which a NaN does not everywhere; may assume so. */
export function isNonNullAndSelfEqual(key: Expression, { where }: JoinBlock, facts: Facts): boolean {
  return (
    (isNotNull(key, facts, where.flatMap(conjuncts)) || assumeNotNull(key, facts)) &&
    hasTotalOrder(key, facts)
  )
}
