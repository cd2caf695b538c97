import type { JoinItem, LeftJoin } from '../normalize/joins.js'
import { type Expression, isStar, type SelectShape, type SourceId } from '../shape/query-shape.js'
import { someInQuery } from '../shape/walk.js'
import { blockOf, isPlainSelect, withBlock } from './block.js'
import { replaceColumns } from './columns.js'
import { isScalar, isStable } from './functions-known.js'

/** Larger expressions are not put in several places, lest queries grow exponentially. */
const maxSize = 400

/** A derived table that only joins, filters and computes becomes part of the query around it. */
export function inlinePlainDerived(select: SelectShape): SelectShape {
  if (
    select.outputs.some((output) => isStar(output) && output.kind === 'column' && output.source === undefined)
  )
    return select
  const block = blockOf(select)
  for (const item of block.items) {
    const inner = plainQuery(item, select)
    if (inner === undefined || item.kind !== 'derived') continue
    const own = blockOf(inner)
    const merged = withBlock(select, {
      items: block.items.flatMap((other) => (other === item ? own.items : [other])),
      lefts: [...block.lefts, ...own.lefts],
      where: [...block.where, ...own.where],
    })
    return asSelect(replaceOutputs(merged, item.id, inner.outputs), select)
  }
  return inlineOptional(select)
}

/** On the optional side of a left join only columns keep their meaning: they are NULL where nothing matches. */
function inlineOptional(select: SelectShape): SelectShape {
  const block = blockOf(select)
  for (const left of block.lefts) {
    const [item] = left.right.items
    const inner = item === undefined ? undefined : plainQuery(item, select)
    if (inner === undefined || item?.kind !== 'derived') continue
    const own = blockOf(inner)
    if (own.items.length === 0 || !inner.outputs.every((output) => isColumnOf(output, own.items))) continue
    const right = {
      items: left.right.items.flatMap((other) => (other === item ? own.items : [other])),
      lefts: [...own.lefts, ...left.right.lefts],
      conditions: [],
    }
    const changed: LeftJoin = { right, on: [...left.on, ...own.where] }
    const merged = withBlock(select, {
      ...block,
      lefts: block.lefts.map((other) => (other === left ? changed : other)),
    })
    return asSelect(replaceOutputs(merged, item.id, inner.outputs), select)
  }
  return select
}

function isColumnOf(output: Expression, items: readonly JoinItem[]): boolean {
  return output.kind === 'column' && items.some((item) => item.kind !== 'kept' && item.id === output.source)
}

function plainQuery(item: JoinItem, select: SelectShape): SelectShape | undefined {
  if (item.kind !== 'derived' || item.extras.length > 0) return undefined
  const { query } = item
  if (!isPlainSelect(query) || query.distinct) return undefined
  if (query.outputs.some(isStar) || !query.outputs.every((output) => isScalar(output) && isStable(output)))
    return undefined
  const readsRow = someInQuery(
    select,
    (part) => part.kind === 'column' && part.source === item.id && part.output === undefined,
  )
  if (readsRow || query.outputs.some((output) => sizeOf(output) > maxSize)) return undefined
  return query
}

function replaceOutputs(
  query: SelectShape,
  id: SourceId,
  outputs: readonly Expression[],
): ReturnType<typeof replaceColumns> {
  return replaceColumns(query, (column) =>
    column.source === id && column.output !== undefined ? outputs[column.output] : undefined,
  )
}

export function asSelect(query: ReturnType<typeof replaceColumns>, otherwise: SelectShape): SelectShape {
  return query.kind === 'select' ? query : otherwise
}

function sizeOf(expression: Expression): number {
  if (expression.kind === 'query') return maxSize
  return expression.kind === 'apply' ? expression.args.reduce((sum, arg) => sum + sizeOf(arg), 1) : 1
}
