import { conjuncts, type Expression, type SelectShape } from '../../shape/query-shape.js'
import { dependencyClosure } from '../functional-dependencies.js'
import { blockOf } from '../join-block.js'
import { isAggregateCall } from '../known-functions.js'
import type { Facts } from '../table-facts.js'

/**
 * Whether a query shows columns that its groups do not decide. SQLite and MySQL take them from some row, SQLite beside max()
 * from the row with the greatest value: what else is asked of the group may change which.
 */
export function hasNondeterministicColumns(select: SelectShape, facts: Facts): boolean {
  const { has } = dependencyClosure(select.groupBy, blockOf(select), facts)
  const isDecided = (value: Expression): boolean => {
    if (has(value) || isAggregateCall(value) || value.kind === 'query') return true
    return value.kind === 'apply' && value.args.every(isDecided)
  }
  const values = [...select.outputs, ...conjuncts(select.having), ...select.orderBy.map(({ by }) => by)]
  return !values.every(isDecided)
}
