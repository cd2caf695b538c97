import {
  conjunction,
  conjuncts,
  type Expression,
  isStar,
  type SelectShape,
  type SourceId,
} from '../../shape/query-shape.js'
import { someExpression, someInQuery } from '../../shape/rewrite-query.js'
import { asSelect } from '../as-select.js'
import { type Column, queryReads, replaceColumns, replaceColumnsIn } from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { dependencyClosure } from '../functional-dependencies.js'
import { blockOf, isPlainSelect, type JoinBlock, withBlock } from '../join-block.js'
import { alwaysMatches } from '../joins/foreign-keys.js'
import { mayAggregate } from '../known-functions.js'
import type { Facts } from '../table-facts.js'

type Derived = { readonly kind: 'derived'; readonly id: SourceId; readonly query: SelectShape }

/**
 * A grouped derived table joined with tables of which each group matches one row at most: the join may come before
 * the grouping, and conditions on its aggregates are HAVING, which come before windows as WHERE does. The same for one
 * that is ordered and cut, where each of its rows is sure to match.
 */
export function liftGrouping(select: SelectShape, facts: Facts): SelectShape {
  if (
    !isPlainSelect({ ...select, limit: undefined, offset: undefined }) ||
    select.distinct ||
    select.extras.length > 0
  )
    return select
  const values = [...select.outputs, ...select.orderBy.map(({ by }) => by)]
  if (values.some((value) => mayAggregate(value) || isStar(value))) return select
  const block = blockOf(select)
  if (block.lefts.length > 0) return select
  // A window over groups is over the rows of their table, which a join would take from.
  if (values.some(hasWindow) && block.items.length > 1) return select
  for (const item of block.items) {
    if (item.kind !== 'derived' || item.extras.length > 0 || item.query.kind !== 'select') continue
    const derived: Derived = { kind: 'derived', id: item.id, query: item.query }
    const rest = { ...block, items: block.items.filter((other) => other !== item) }
    if (!isLiftable(derived, select)) continue
    const lifted = lift(select, derived, rest, facts)
    if (lifted !== undefined) return lifted
  }
  return select
}

function isLiftable({ id, query }: Derived, select: SelectShape): boolean {
  if (query.distinct || query.qualify !== undefined || query.extras.length > 0 || query.outputs.some(isStar))
    return false
  if (query.outputs.some(hasWindow) || query.offset !== undefined) return false
  const isCut = query.limit !== undefined
  if (isCut && select.outputs.some(hasWindow)) return false
  if (isCut && (select.limit !== undefined || select.offset !== undefined || select.orderBy.length > 0))
    return false
  if (!isCut && query.groupBy.length === 0) return false
  if (query.groupBy.length === 0 && query.outputs.some(mayAggregate)) return false
  const own = new Set([id])
  return !someInQuery(
    select,
    (part) =>
      (part.kind === 'column' && part.source === id && part.output === undefined) ||
      (part.kind === 'query' && queryReads(part.query, own)),
  )
}

function lift(
  select: SelectShape,
  { id, query }: Derived,
  rest: JoinBlock,
  facts: Facts,
): SelectShape | undefined {
  const inner = blockOf(query)
  const outputs = query.outputs
  const replace = (column: Column): Expression | undefined =>
    column.source === id && column.output !== undefined ? outputs[column.output] : undefined
  const isOfGroup = (condition: Expression): boolean =>
    someExpression(
      condition,
      (part) => part.kind === 'column' && part.source === id && mayAggregate(replace(part) ?? part),
    )
  const filters = rest.where.filter((condition) => !isOfGroup(condition))
  const having = rest.where.filter(isOfGroup)
  const columns = outputs.map(
    (_, output): Expression => ({ kind: 'column', source: id, name: `${output}`, output }),
  )
  const given =
    query.groupBy.length > 0
      ? columns.filter((_, at) => !mayAggregate(outputs[at] ?? columns[0] ?? nothing))
      : columns
  const { has: hasInner } = dependencyClosure(query.groupBy, inner, facts)
  // SQLite lets a group show a column that its keys do not decide.
  const isDecided =
    query.groupBy.length === 0 || outputs.every((output) => mayAggregate(output) || hasInner(output))
  if (!isDecided) return undefined
  const { sources } = dependencyClosure(given, { ...rest, where: filters }, facts)
  if (rest.items.some((item) => item.kind === 'kept' || !sources.has(item.id))) return undefined
  if (query.limit !== undefined) {
    if (having.length > 0) return undefined
    if (
      !alwaysMatches(
        rest.items,
        filters.map((condition) => replaceColumnsIn(condition, replace)),
        inner,
        facts,
      )
    )
      return undefined
  }
  const merged = withBlock(
    { ...select, groupBy: query.groupBy, having: conjunction([...conjuncts(query.having), ...having]) },
    { items: [...inner.items, ...rest.items], lefts: inner.lefts, where: [...inner.where, ...filters] },
  )
  const cut = query.limit === undefined ? merged : { ...merged, orderBy: query.orderBy, limit: query.limit }
  return asSelect(replaceColumns(cut, replace), select)
}

const nothing: Expression = { kind: 'literal', type: 'null', value: 'null' }
