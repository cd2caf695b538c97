import type { JoinItem } from '../../normalize/join-pool.js'
import { conjunction, conjuncts, type Expression, isStar, type SelectShape } from '../../shape/query-shape.js'
import { someInQuery } from '../../shape/rewrite-query.js'
import { renumberSources } from '../../shape/source-ids.js'
import { asSelect } from '../as-select.js'
import { type Column, queryReads, replaceColumns } from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { blockOf, isPlainSelect, withBlock } from '../join-block.js'
import { certainlyAggregates, isStable, mayAggregate } from '../known-functions.js'
import type { Facts } from '../table-facts.js'

/** More uses than this of one row are not written out. */
const maxUses = 12

/** An aggregate over everything: one row, whatever there is. */
function isOneAggregate(query: SelectShape): boolean {
  return (
    isPlainSelect(query) &&
    !query.distinct &&
    query.outputs.some(certainlyAggregates) &&
    !query.outputs.some((output) => hasWindow(output) || isStar(output) || !isStable(output))
  )
}

/**
 * A joined derived table that is one row of aggregates, as a scalar subquery wherever one of its columns is read:
 * the join adds that row to each other row.
 */
export function singleRowToScalar(select: SelectShape, facts: Facts): SelectShape {
  const block = blockOf(select)
  if (block.items.length < 2 || select.outputs.some(isStar)) return select
  const rows = block.items.filter((item) => isRowOf(item, select))
  // FROM may lose all its items: single rows joined with one another are the one row of a SELECT without FROM.
  const isRow = isPlainSelect(select) && !select.outputs.some(mayAggregate)
  const isAll = rows.length === block.items.length && block.lefts.length === 0 && isRow
  const moved = isAll ? rows : rows.slice(0, 1)
  if (moved.length === 0) return select
  const items = block.items.filter((item) => !moved.some((row) => row === item))
  const queries = new Map(moved.map(({ id, query }) => [id, query]))
  return asSelect(
    replaceColumns(withBlock(select, { ...block, items }), (column) => {
      const query = column.source === undefined ? undefined : queries.get(column.source)
      return query !== undefined && column.output !== undefined
        ? {
            kind: 'query',
            query: renumberSources(onlyOutput(query, column.output), () => facts.nextSourceId()),
          }
        : undefined
    }),
    select,
  )
}

type OneRow = JoinItem & { readonly kind: 'derived'; readonly query: SelectShape }

function isRowOf(item: JoinItem, select: SelectShape): item is OneRow {
  if (item.kind !== 'derived' || item.extras.length > 0 || item.query.kind !== 'select') return false
  if (!isOneAggregate(item.query) || item.query.orderBy.length > 0) return false
  return usesOf(select, item.id) <= maxUses && !isReadWhole(select, item.id)
}

function usesOf(select: SelectShape, id: number): number {
  let uses = 0
  someInQuery(select, (part) => {
    if (part.kind === 'column' && part.source === id) uses++
    return false
  })
  return uses
}

function isReadWhole(select: SelectShape, id: number): boolean {
  return someInQuery(
    select,
    (part) => part.kind === 'column' && part.source === id && part.output === undefined,
  )
}

function onlyOutput(query: SelectShape, at: number): SelectShape {
  const output = query.outputs[at]
  return output === undefined
    ? query
    : { ...query, outputs: [output], names: [query.names[at]], positional: false }
}

/** A SELECT over one row of aggregates alone: its conditions are HAVING, its outputs computed from the aggregates. */
export function liftSingleRow(select: SelectShape): SelectShape {
  if (!isPlainSelect({ ...select, limit: undefined, offset: undefined }) || select.from?.kind !== 'derived')
    return select
  const { id, query, extras } = select.from
  if (extras.length > 0 || query.kind !== 'select' || isReadWhole(select, id)) return select
  if (!isOneAggregate({ ...query, having: undefined }) || !query.outputs.every(isComputed)) return select
  const values = [...select.outputs, ...conjuncts(select.where)]
  if (values.some((value) => mayAggregate(value) || hasWindow(value) || isStar(value))) return select
  if (!select.outputs.some((output) => readsAggregate(output, id, query))) return select
  if (conjuncts(select.where).some((condition) => hasQueryReading(condition, id))) return select
  const replace = (column: Column): Expression | undefined =>
    column.source === id && column.output !== undefined ? query.outputs[column.output] : undefined
  const merged: SelectShape = {
    ...select,
    from: query.from,
    where: query.where,
    having: conjunction([...conjuncts(query.having), ...conjuncts(select.where)]),
  }
  return asSelect(replaceColumns(merged, replace), select)
}

function isComputed(output: Expression): boolean {
  return certainlyAggregates(output) || output.kind === 'literal'
}

function readsAggregate(output: Expression, id: number, query: SelectShape): boolean {
  if (output.kind === 'apply') return output.args.some((arg) => readsAggregate(arg, id, query))
  if (output.kind !== 'column' || output.source !== id || output.output === undefined) return false
  const value = query.outputs[output.output]
  return value !== undefined && certainlyAggregates(value)
}

function hasQueryReading(value: Expression, id: number): boolean {
  if (value.kind === 'query') return queryReads(value.query, new Set([id]))
  return value.kind === 'apply' && value.args.some((arg) => hasQueryReading(arg, id))
}
