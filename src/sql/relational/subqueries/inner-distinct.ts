import type { FromNode, SelectShape } from '../../shape/query-shape.js'
import { withChanges } from '../../shape/rewrite-query.js'
import { isDuplicateInsensitive, isRowSet } from '../duplicate-insensitivity.js'
import { blockOf } from '../join-block.js'
import { isScalar, isStable } from '../known-functions.js'

/**
 * DISTINCT in a derived table says nothing where duplicates of the joined rows say nothing: under DISTINCT, min and
 * max, and in EXISTS (`inExists`).
 */
export function dropInnerDistinct(select: SelectShape, inExists: boolean): SelectShape {
  if (select.from === undefined || !(inExists ? isRowSet(select) : isDuplicateInsensitive(select)))
    return select
  const from = withoutDistinct(select.from)
  return from === select.from ? select : { ...select, from }
}

function withoutDistinct(node: FromNode): FromNode {
  if (node.kind === 'join')
    return withChanges(node, { left: withoutDistinct(node.left), right: withoutDistinct(node.right) })
  if (node.kind !== 'derived' || node.query.kind !== 'select' || !node.query.distinct) return node
  return isRowSet(node.query) ? { ...node, query: { ...node.query, distinct: false } } : node
}

/**
 * A SELECT over the distinct rows of a derived table that lists all of their columns has distinct rows itself: the
 * derived table need not merge them before.
 */
export function liftDistinct(select: SelectShape): SelectShape {
  if (!isRowSet({ ...select, limit: undefined, offset: undefined })) return select
  const { items, lefts } = blockOf(select)
  const [item] = items
  if (item?.kind !== 'derived' || items.length > 1 || lefts.length > 0 || item.extras.length > 0)
    return select
  const { query, id } = item
  if (query.kind !== 'select' || !query.distinct || !isRowSet(query)) return select
  const listed = select.outputs.map((output) =>
    output.kind === 'column' && output.source === id ? output.output : undefined,
  )
  // Outputs that it computes from these columns are equal in rows whose columns are equal.
  const isComputed = select.outputs.every((output) => isScalar(output) && isStable(output))
  if (!isComputed || !query.outputs.every((_, at) => listed.includes(at))) return select
  return { ...select, distinct: true, from: { ...item, query: { ...query, distinct: false } } }
}
