import { apply, conjuncts, type Expression, type SelectShape } from '../../shape/query-shape.js'
import { mapAll, someDeep } from '../../shape/rewrite-query.js'
import { asSelect } from '../as-select.js'
import { type Column, includesExpression, replaceColumns } from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { blockOf, type JoinBlock, withBlock } from '../join-block.js'
import { certainlyAggregates, isAggregateCall, isDuplicateInsensitiveAggregate } from '../known-functions.js'
import type { Facts } from '../table-facts.js'
import { mapResultValues } from '../values/map-result-values.js'
import { hasGroupingSets } from './grouping-sets.js'
import { hasNondeterministicColumns } from './nondeterministic-columns.js'
import { argumentOf, commonAggregate, isPartialAggregation } from './partial-aggregates.js'

interface Derived {
  readonly id: number
  readonly query: SelectShape
}

/**
 * Aggregates of the groups of a derived table that is joined by what it is grouped by, as aggregates over its rows:
 * each row meets what its group meets, so that a sum of sums is the sum. Other aggregates beside them must not count
 * how often a row is there. (Yan and Larson 1995, the other way round.)
 */
export function mergeJoinedAggregates(select: SelectShape, facts: Facts): SelectShape {
  const { groupBy, outputs } = select
  if (select.extras.length > 0 || select.qualify !== undefined || hasGroupingSets(select)) return select
  const values = [...outputs, ...conjuncts(select.having), ...select.orderBy.map(({ by }) => by)]
  if (values.some(hasWindow) || (groupBy.length === 0 && !outputs.some(certainlyAggregates))) return select
  const block = blockOf(select)
  if (block.items.length + block.lefts.length < 2 || hasNondeterministicColumns(select, facts)) return select
  for (const item of block.items) {
    if (item.kind !== 'derived' || item.extras.length > 0 || item.query.kind !== 'select') continue
    const { query } = item
    if (!isPartialAggregation(query) || query.groupBy.length === 0) continue
    const merged = merge(select, block, { id: item.id, query }, values)
    if (merged !== undefined) return merged
  }
  return select
}

function merge(
  select: SelectShape,
  block: JoinBlock,
  derived: Derived,
  values: readonly Expression[],
): SelectShape | undefined {
  const { id, query } = derived
  const isKey = (column: Column): boolean => {
    const output = column.output === undefined ? undefined : query.outputs[column.output]
    return output !== undefined && includesExpression(query.groupBy, output)
  }
  const isOpen = (part: Expression): boolean => part.kind === 'column' && part.source === id && !isKey(part)
  const conditions = [...block.where, ...select.groupBy, ...block.lefts.flatMap(({ on }) => on)]
  if (conditions.some((condition) => someDeep(condition, isOpen))) return undefined
  const isMerged = values.every((value) => areMergeable(value, derived, select, isOpen))
  if (!isMerged || !values.some((value) => someDeep(value, isOpen))) return undefined
  const shown = mapResultValues(select, (value) => overRows(value, derived, isOpen))
  const inner = blockOf(query)
  const rows = withBlock(shown, {
    items: block.items.flatMap((item) => (item.kind === 'derived' && item.id === id ? inner.items : [item])),
    lefts: [...inner.lefts, ...block.lefts],
    where: [...inner.where, ...block.where],
  })
  return asSelect(
    replaceColumns(rows, (column) =>
      column.source === id && column.output !== undefined ? query.outputs[column.output] : undefined,
    ),
    select,
  )
}

/** Whether all aggregates either combine those of the groups, or do not ask how often a row is there. */
function areMergeable(
  value: Expression,
  derived: Derived,
  select: SelectShape,
  isOpen: (part: Expression) => boolean,
): boolean {
  if (value.kind === 'query') return !someDeep(value, isOpen)
  if (value.kind !== 'apply') return !isOpen(value)
  if (!isAggregateCall(value)) return value.args.every((arg) => areMergeable(arg, derived, select, isOpen))
  const aggregate = aggregateOver(value, derived, isOpen)
  if (aggregate === undefined) return isDuplicateInsensitiveAggregate(value) && !someDeep(value, isOpen)
  // An empty sum of counts is NULL and not 0.
  return aggregate !== 'count' || select.groupBy.length > 0
}

/** The aggregate over rows that one over the groups' aggregate is. */
function aggregateOver(
  value: Expression & { kind: 'apply' },
  { query }: Derived,
  isOpen: (part: Expression) => boolean,
): string | undefined {
  const [column, ...others] = value.args
  if (column?.kind !== 'column' || column.output === undefined || others.length > 0 || !isOpen(column))
    return undefined
  return commonAggregate(value.op, [query.outputs[column.output]])
}

/** The value with aggregates over the columns that hold them in the place of those over columns of groups. */
function overRows(value: Expression, derived: Derived, isOpen: (part: Expression) => boolean): Expression {
  if (value.kind !== 'apply') return value
  const op = aggregateOver(value, derived, isOpen)
  const [column] = value.args
  const output =
    column?.kind === 'column' && column.output !== undefined
      ? derived.query.outputs[column.output]
      : undefined
  if (op !== undefined && output !== undefined) return apply(op, argumentOf(output))
  const args = mapAll(value.args, (arg) => overRows(arg, derived, isOpen))
  return args === value.args ? value : { ...value, args }
}
