import {
  type Expression,
  isStar,
  type OrderItem,
  type QueryShape,
  type SelectShape,
} from '../../shape/query-shape.js'
import { includesExpression } from '../column-references.js'
import { dependencyClosure } from '../functional-dependencies.js'
import { blockOf } from '../join-block.js'
import { certainlyAggregates, isStable } from '../known-functions.js'
import type { Facts } from '../table-facts.js'

/** Keys that earlier keys decide order nothing: repeated ones, constants, all after a key of the rows. */
export function dropRedundantOrderKeys(select: SelectShape, facts: Facts): SelectShape {
  if (select.orderBy.length === 0 || select.extras.length > 0 || select.outputs.some(isStar)) return select
  const block = blockOf(select)
  const kept: OrderItem[] = []
  for (const item of select.orderBy) {
    const before = kept.map(({ by }) => by)
    const { has } = dependencyClosure(before, block, facts)
    const isGroupKnown = select.groupBy.length > 0 && select.groupBy.every((key) => has(key))
    if (item.extras.length > 0 || !(has(item.by) || isGroupKnown)) kept.push(item)
  }
  // A query that orders a single row keeps saying so: people read the order as meant.
  const [first] = select.orderBy
  if (kept.length === 0 && first !== undefined && first.by.kind !== 'literal') kept.push(first)
  return kept.length === select.orderBy.length ? select : { ...select, orderBy: kept }
}

/** An aggregate over everything has one row, whose order and first rows mean nothing. */
export function dropOrderOfSingleRow(select: SelectShape, { dialect }: Facts): SelectShape {
  if (!isOneRow(select)) return select
  if (dialect === 'sqlite' && choosesPlainColumns(select)) return select
  const keepsRow =
    select.limit !== undefined && select.limit.kind === 'literal' && Number(select.limit.value) >= 1
  const limit = keepsRow && select.offset === undefined ? undefined : select.limit
  if (select.orderBy.length === 0 && limit === select.limit && !select.distinct) return select
  return { ...select, orderBy: [], limit, distinct: false }
}

/** In SQLite the one min() or max() of a query, wherever it stands, chooses the row of its plain columns. */
function choosesPlainColumns({ orderBy, outputs }: SelectShape): boolean {
  const isOther = (by: Expression): boolean => hasExtreme(by) && !includesExpression(outputs, by)
  return (
    orderBy.some(({ by }) => isOther(by)) &&
    outputs.some((output) => output.kind !== 'literal' && !certainlyAggregates(output))
  )
}

function hasExtreme(value: Expression): boolean {
  if (value.kind !== 'apply') return false
  return value.op === 'min' || value.op === 'max' || value.args.some(hasExtreme)
}

function isOneRow(select: SelectShape): boolean {
  return (
    select.groupBy.length === 0 &&
    select.extras.length === 0 &&
    select.outputs.some(certainlyAggregates) &&
    select.outputs.every(isStable)
  )
}

/** The order of the rows of a subquery counts only where it chooses which rows there are. */
export function withoutOrder<T extends QueryShape>(query: T): T {
  if (
    query.orderBy.length === 0 ||
    query.limit !== undefined ||
    query.offset !== undefined ||
    query.extras.length > 0
  )
    return query
  return { ...query, orderBy: [] }
}
