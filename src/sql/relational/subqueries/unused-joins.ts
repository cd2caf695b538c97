import { isNonNullLiteral } from '../../conditions/boolean-expressions.js'
import { poolLeaves } from '../../normalize/join-pool.js'
import {
  type Expression,
  type FromNode,
  isStar,
  type QueryShape,
  type SelectShape,
  type SourceId,
} from '../../shape/query-shape.js'
import { rewriteQuery, someInQuery } from '../../shape/rewrite-query.js'
import { asSelect } from '../as-select.js'
import { queryReads } from '../column-references.js'
import { isDuplicateInsensitive } from '../duplicate-insensitivity.js'
import { dependencyClosure } from '../functional-dependencies.js'
import { blockOf, isPlainSelect, type JoinBlock, sourcesOf, withBlock } from '../join-block.js'
import { certainlyAggregates, isStable, mayAggregate } from '../known-functions.js'
import type { Facts } from '../table-facts.js'

/** A left join that matches at most one row and whose columns are not read changes nothing. */
export function dropUnusedLeftJoin(select: SelectShape, facts: Facts): SelectShape {
  const block = blockOf(select)
  if (block.lefts.length === 0 || readsEverything(select)) return select
  const unused = block.lefts.find((left) => {
    const ids = new Set(poolLeaves(left.right).map((node) => node.id))
    const others: JoinBlock = { ...block, lefts: block.lefts.filter((other) => other !== left) }
    if (queryReads(withBlock(select, others), ids)) return false
    if (isDuplicateInsensitive(select)) return true
    const right: JoinBlock = { items: left.right.items, lefts: left.right.lefts, where: left.on }
    if (right.items.some((item) => item.kind === 'kept')) return false
    const { sources } = dependencyClosure([], right, facts)
    return [...sourcesOf(right)].every((source) => sources.has(source))
  })
  return unused === undefined
    ? select
    : withBlock(select, { ...block, lefts: block.lefts.filter((other) => other !== unused) })
}

/** A derived table of exactly one row of which nothing is read. */
export function dropUnusedRow(select: SelectShape): SelectShape {
  const block = blockOf(select)
  if (readsEverything(select)) return select
  // Alone it makes the row that a SELECT without FROM has, unless that is aggregated.
  const isAlone = block.items.length === 1
  if (isAlone && (block.lefts.length > 0 || !isPlainSelect(select) || select.outputs.some(mayAggregate)))
    return select
  const unused = block.items.find(
    (item) =>
      item.kind === 'derived' &&
      item.extras.length === 0 &&
      hasOneRow(item.query) &&
      !queryReads(select, new Set([item.id])),
  )
  return unused === undefined
    ? select
    : withBlock(select, { ...block, items: block.items.filter((item) => item !== unused) })
}

/** An aggregate over everything, of which nothing takes its row away. */
export function hasOneRow(query: QueryShape): boolean {
  return (
    query.kind === 'select' &&
    query.groupBy.length === 0 &&
    query.having === undefined &&
    query.qualify === undefined &&
    query.extras.length === 0 &&
    query.limit === undefined &&
    query.offset === undefined &&
    query.outputs.some(certainlyAggregates) &&
    query.outputs.every(isStable)
  )
}

function readsEverything(select: SelectShape): boolean {
  return select.outputs.some((output) => isStar(output) || (output.kind === 'apply' && output.op === 'star'))
}

/** A CTE that nothing names is never computed. */
export function dropUnusedCtes<T extends QueryShape>(query: T): T {
  const extras = query.extras.filter(
    (extra) => !(extra.kind === 'apply' && extra.op.startsWith('field:with.')),
  )
  return extras.length === query.extras.length ? query : { ...query, extras }
}

/** Outputs of a derived table that are not read; those of a DISTINCT one decide which rows there are. */
export function dropUnusedOutputs(select: SelectShape): SelectShape {
  if (select.from === undefined) return select
  const nodes = derivedNodes(select.from)
  for (const { id, query, extras } of nodes) {
    const width = widthOf(query)
    if (extras.length > 0 || width === undefined || width === 0) continue
    const used = new Set<number>()
    const readsRow = someInQuery(select, (part) => {
      if (part.kind !== 'column') return false
      if (part.source === id && part.output !== undefined) used.add(part.output)
      return (
        (part.source === id && part.output === undefined) || (part.source === undefined && part.name === '*')
      )
    })
    if (readsRow || used.size === width) continue
    const kept = [...Array(width).keys()].filter((at) => used.has(at) || !isFree(query, at))
    const places = kept.length > 0 ? kept : [0]
    if (places.length === width) continue
    return renumber(select, id, places)
  }
  return select
}

function renumber(select: SelectShape, id: SourceId, places: readonly number[]): SelectShape {
  const renumbered = rewriteQuery(select, {
    query: (query) => query,
    expression: (part): Expression =>
      part.kind === 'column' && part.source === id && part.output !== undefined
        ? { ...part, output: places.indexOf(part.output) }
        : part,
  })
  const changed = asSelect(renumbered, select)
  return changed.from === undefined ? changed : { ...changed, from: narrowed(changed.from, id, places) }
}

function narrowed(node: FromNode, id: SourceId, places: readonly number[]): FromNode {
  if (node.kind === 'join')
    return { ...node, left: narrowed(node.left, id, places), right: narrowed(node.right, id, places) }
  return node.kind === 'derived' && node.id === id ? { ...node, query: narrow(node.query, places) } : node
}

function narrow(query: QueryShape, places: readonly number[]): QueryShape {
  if (query.kind === 'set')
    return { ...query, operands: query.operands.map((operand) => narrow(operand, places)) }
  return {
    ...query,
    outputs: places.flatMap((at) => query.outputs[at] ?? []),
    names: places.map((at) => query.names[at]),
  }
}

/** Whether rows are the same ones without the output: distinct rows are without a literal. */
function isFree(query: QueryShape, at: number): boolean {
  return query.kind === 'set' || !query.distinct || isNonNullLiteral(query.outputs[at])
}

/** How many outputs a query has, of which some may be left out. */
function widthOf(query: QueryShape): number | undefined {
  if (query.extras.length > 0) return undefined
  if (query.kind === 'set') {
    const widths = query.operands.map(widthOf)
    const isBag = query.operation === 'union' && query.all && query.orderBy.length === 0
    return isBag && widths.every((width) => width === widths[0]) ? widths[0] : undefined
  }
  if (
    (query.distinct && !query.outputs.some(isNonNullLiteral)) ||
    query.outputs.some((output) => isStar(output) || (output.kind === 'apply' && output.op === 'star'))
  )
    return undefined
  // Without GROUP BY an aggregate among the outputs makes the rows one.
  return query.groupBy.length === 0 &&
    query.outputs.some(mayAggregate) &&
    !query.outputs.every(certainlyAggregates)
    ? undefined
    : query.outputs.length
}

function derivedNodes(node: FromNode): readonly (FromNode & { kind: 'derived' })[] {
  if (node.kind === 'join') return [...derivedNodes(node.left), ...derivedNodes(node.right)]
  return node.kind === 'derived' ? [node] : []
}
