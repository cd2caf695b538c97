import type { Dialect } from '../../enums/dialect.js'
import { type AstNode, type AstObject, asNode, asObject, semanticEntries } from './ast.js'
import { matchingParts } from './set-operation-by-name.js'

export type SetTag = 'union' | 'intersect' | 'except'

interface SetNode {
  readonly tag: SetTag
  readonly body: AstObject
}

export function setTagOf(node: AstNode | undefined): SetTag | undefined {
  return node?.tag === 'union' || node?.tag === 'intersect' || node?.tag === 'except' ? node.tag : undefined
}

/**
 * The set operation as the dialect means it. INTERSECT binds tighter than UNION and EXCEPT everywhere but in
 * SQLite, while the parser always reads from left to right; and FETCH FIRST after the last operand arrives
 * inside it. What was in parentheses arrives as `subquery` and is left alone.
 */
export function associate(node: AstNode, dialect: Dialect): SetNode {
  const read = hoistFetch({ tag: setTagOf(node) ?? 'union', body: asObject(node.body) ?? {} })
  if (read.tag !== 'intersect' || dialect === 'sqlite') return read
  const leftNode = asNode(read.body['left'])
  const leftTag = setTagOf(leftNode)
  if (leftNode === undefined || leftTag === undefined) return read
  const left = associate(leftNode, dialect)
  if (left.tag === 'intersect') return read
  const { left: first, right: second } = left.body
  const tail = Object.fromEntries(semanticEntries(read.body, ownParts))
  const inner = { ...read.body, with: null, order_by: null, limit: null, offset: null, left: second }
  return { tag: left.tag, body: { ...left.body, ...tail, left: first, right: { intersect: inner } } }
}

const ownParts: ReadonlySet<string> = new Set(['left', 'right', 'all', 'distinct', ...matchingParts])

function hoistFetch({ tag, body }: SetNode): SetNode {
  const right = asNode(body['right'])
  const select = right?.tag === 'select' ? asObject(right.body) : undefined
  const fetch = asObject(select?.['fetch'])
  const isPlain =
    fetch !== undefined && semanticEntries(fetch, new Set(['direction', 'rows', 'count'])).length === 0
  if (!isPlain || (body['limit'] !== null && body['limit'] !== undefined)) return { tag, body }
  return { tag, body: { ...body, right: { select: { ...select, fetch: null } }, limit: fetch['count'] } }
}
