import type { Expression, SelectShape } from '../shape/query-shape.js'
import { isPlainSelect } from './join-block.js'
import {
  isDuplicateInsensitiveAggregate as aggregatesIgnore,
  isAggregateCall,
  mayAggregate,
} from './known-functions.js'

/** Whether it does not matter how often each row of FROM occurs, as long as it occurs. */
export function isDuplicateInsensitive(select: SelectShape): boolean {
  if (select.extras.length > 0 || select.qualify !== undefined) return false
  const values = [
    ...select.outputs,
    ...(select.having ? [select.having] : []),
    ...select.orderBy.map(({ by }) => by),
  ]
  if (select.groupBy.length > 0) return values.every(aggregatesIgnore)
  // SQLite shows a column of some row beside an aggregate of all.
  if (values.some(mayAggregate))
    return values.every((value) => aggregatesIgnore(value) && !readsColumnOutsideAggregates(value))
  return select.distinct && values.every((value) => !mayAggregate(value) && !hasWindow(value))
}

/** Whether it reads a column outside of aggregates. */
export function readsColumnOutsideAggregates(value: Expression): boolean {
  if (value.kind !== 'apply') return value.kind === 'column'
  return !isAggregateCall(value) && value.op !== 'over' && value.args.some(readsColumnOutsideAggregates)
}

export function hasWindow(value: Expression): boolean {
  return value.kind === 'apply' && (value.op === 'over' || value.args.some(hasWindow))
}

/** A SELECT of which only matters which rows there are: in EXISTS and IN, as operand of UNION. */
export function isRowSet(select: SelectShape): boolean {
  return isPlainSelect(select) && !select.outputs.some((output) => mayAggregate(output) || hasWindow(output))
}
