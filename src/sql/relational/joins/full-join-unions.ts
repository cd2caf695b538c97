import type { LeafNode } from '../../normalize/join-pool.js'
import { type PrintedQuery, printQuery } from '../../print/print.js'
import {
  apply,
  conjunction,
  type QueryShape,
  type SelectShape,
  type SetShape,
} from '../../shape/query-shape.js'
import { asSelect } from '../as-select.js'
import { replaceColumns } from '../column-references.js'
import { blockOf, isPlainSelect, withBlock } from '../join-block.js'
import { existsOf } from './left-joins.js'

/**
 * The rows of a left join and those rows of its right side that match none, with NULLs for the left side, are a full
 * join.
 */
export function unionToFullJoin(query: SetShape): QueryShape {
  const { operands } = query
  if (query.operation !== 'union' || !query.all || query.extras.length > 0) return query
  for (const [at, operand] of operands.entries()) {
    const parts = operand.kind === 'select' ? leftJoinOf(operand) : undefined
    if (parts === undefined) continue
    const wanted = textOf(parts.unmatched)
    const partner = operands.findIndex((other, place) => place !== at && textOf(other) === wanted)
    // Columns of queries around it are not distinguished by their texts.
    if (partner < 0 || wanted.includes('lateral.')) continue
    const rest = operands.filter((_, place) => place !== at && place !== partner)
    if (rest.length > 0) return { ...query, operands: [parts.full, ...rest] }
    const isBare = query.orderBy.length === 0 && query.limit === undefined && query.offset === undefined
    return isBare ? parts.full : query
  }
  return query
}

/** A plain left join of two tables: as full join, and what that adds to it. */
function leftJoinOf(
  select: SelectShape,
): { readonly full: SelectShape; readonly unmatched: SelectShape } | undefined {
  if (!isPlainSelect(select) || select.distinct || select.orderBy.length > 0) return undefined
  const { items, lefts, where } = blockOf(select)
  const [item, another] = items
  const [left, second] = lefts
  if (item === undefined || left === undefined || another !== undefined || second !== undefined)
    return undefined
  const [right, more] = left.right.items
  if (!isLeaf(item) || right === undefined || !isLeaf(right) || more !== undefined) return undefined
  if (where.length > 0 || left.right.lefts.length > 0) return undefined
  const on = conjunction(left.on)
  const full: SelectShape = {
    ...select,
    from: { kind: 'join', join: 'full', left: item, right, on, extras: [] },
  }
  const none = apply('not', existsOf({ right: { items: [item], lefts: [], conditions: [] }, on: left.on }))
  const bare = asSelect(
    replaceColumns(select, (column) => (column.source === item.id ? apply('null') : undefined)),
    select,
  )
  return { full, unmatched: withBlock(bare, { items: [right], lefts: [], where: [none] }) }
}

function isLeaf(item: { readonly kind: string; readonly extras: readonly unknown[] }): item is LeafNode {
  return (item.kind === 'table' || item.kind === 'derived') && item.extras.length === 0
}

/** Returns the text of a query with its columns in their order. */
function textOf(query: QueryShape): string {
  const { text, outputs }: PrintedQuery = printQuery(query, { qualify: false })
  return `${text} ${outputs?.join(', ') ?? ''}`
}
