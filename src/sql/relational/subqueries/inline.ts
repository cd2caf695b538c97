import type { JoinItem, LeftJoin } from '../../normalize/join-pool.js'
import {
  type Expression,
  type FromNode,
  isStar,
  type SelectShape,
  type SourceId,
} from '../../shape/query-shape.js'
import { someDeep, someExpression, someInQuery, withChanges } from '../../shape/rewrite-query.js'
import { asSelect } from '../as-select.js'
import { isSameExpression, queryReads, readsOnlyOuterColumns, replaceColumns } from '../column-references.js'
import { blockOf, isPlainSelect, type JoinBlock, sourcesOf, withBlock } from '../join-block.js'
import { isScalar, isStable, mayAggregate } from '../known-functions.js'
import type { Facts } from '../table-facts.js'
import { constantOf } from '../values/constant-propagation.js'

/** Larger expressions are not put in several places, lest queries grow exponentially. */
const maxSize = 400

/** A derived table that only joins, filters and computes becomes part of the query around it. */
export function inlinePlainDerived(select: SelectShape, facts: Facts): SelectShape {
  if (select.outputs.some((output) => isStar(output) && someExpression(output, isUnboundStar))) return select
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
    if (isAggregatedByOuterQuery(merged, inner)) continue
    return asSelect(replaceOutputs(merged, item.id, inner), select)
  }
  return inlineOptional(select, facts)
}

/** Whether the merge gives an aggregate to an outer query: one that reads only columns of that query belongs to it. */
function isAggregatedByOuterQuery(merged: SelectShape, inner: SelectShape): boolean {
  const { outputs, having, orderBy } = merged
  const values = [...outputs, ...(having ? [having] : []), ...orderBy.map(({ by }) => by)]
  if (!values.some(mayAggregate)) return false
  const own = sourcesOf(blockOf(merged))
  return inner.outputs.some((output) => readsOnlyOuterColumns(output, own))
}

/** `*` over several tables of which not all columns are known. */
function isUnboundStar(part: Expression): boolean {
  return part.kind === 'column' && part.name === '*' && part.source === undefined
}

/** On the optional side of a left join only columns keep their meaning: they are NULL where nothing matches. */
function inlineOptional(select: SelectShape, facts: Facts): SelectShape {
  const block = blockOf(select)
  for (const left of block.lefts) {
    const [item] = left.right.items
    const inner = item === undefined ? undefined : plainQuery(item, select)
    if (inner === undefined || item?.kind !== 'derived') continue
    const own = blockOf(inner)
    const outputs = inner.outputs.map((output) => asColumn(output, own, facts))
    if (own.items.length === 0 || !outputs.every((output) => isColumnOf(output, own.items))) continue
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
    return asSelect(replaceOutputs(merged, item.id, { ...inner, outputs }), select)
  }
  return select
}

/** A literal that a condition makes a column equal to, as that column: it is NULL where nothing matches. */
function asColumn(output: Expression, { where }: JoinBlock, facts: Facts): Expression {
  if (output.kind !== 'literal') return output
  const known = where.flatMap((condition) => constantOf(condition, facts) ?? [])
  return known.find(({ value }) => isSameExpression(value, output))?.column ?? output
}

function isColumnOf(output: Expression, items: readonly JoinItem[]): boolean {
  return output.kind === 'column' && items.some((item) => item.kind !== 'kept' && item.id === output.source)
}

function plainQuery(item: JoinItem, select: SelectShape): SelectShape | undefined {
  if (item.kind !== 'derived' || !(item.extras.length === 0 || isLateral(item))) return undefined
  const { query } = item
  if (!isPlainSelect(query) || query.distinct) return undefined
  if (wholeTable(query) !== undefined) return query
  if (query.outputs.some(isStar) || !query.outputs.every((output) => isScalar(output) && isStable(output)))
    return undefined
  const readsRow = someInQuery(
    select,
    (part) => part.kind === 'column' && part.source === item.id && part.output === undefined,
  )
  if (readsRow || query.outputs.some((output) => sizeOf(output) > maxSize)) return undefined
  return query
}

/** A derived table that sees the others of its FROM; joining its rows with theirs is all that LATERAL means. */
function isLateral(node: FromNode): boolean {
  const [only] = node.extras
  return node.extras.length === 1 && only?.kind === 'literal' && only.value === 'lateral'
}

/** LATERAL before a derived table that reads none of the others says nothing. */
export function dropLateral(select: SelectShape): SelectShape {
  const { from } = select
  if (from === undefined || !hasLateral(from)) return select
  const siblings = sourcesOf(blockOf(select))
  const plain = (node: FromNode): FromNode => {
    if (node.kind === 'join') return withChanges(node, { left: plain(node.left), right: plain(node.right) })
    const isFree = node.kind === 'derived' && isLateral(node) && !queryReads(node.query, siblings)
    return isFree ? { ...node, extras: [] } : node
  }
  const changed = plain(from)
  return changed === from ? select : { ...select, from: changed }
}

function hasLateral(node: FromNode): boolean {
  return node.kind === 'join' ? hasLateral(node.left) || hasLateral(node.right) : isLateral(node)
}

/** The table of which the query selects `*` and nothing else. */
function wholeTable({ outputs, from }: SelectShape): SourceId | undefined {
  const [only] = outputs
  const isWhole = outputs.length === 1 && only?.kind === 'column' && only.name === '*'
  return isWhole && from?.kind === 'table' && only.source === from.id ? from.id : undefined
}

function replaceOutputs(
  query: SelectShape,
  id: SourceId,
  inner: SelectShape,
): ReturnType<typeof replaceColumns> {
  const whole = wholeTable(inner)
  return replaceColumns(query, (column) => {
    if (column.source !== id) return undefined
    if (whole !== undefined) return { ...column, source: whole }
    return column.output === undefined ? undefined : inner.outputs[column.output]
  })
}

function sizeOf(expression: Expression): number {
  let size = 0
  someDeep(expression, () => {
    size++
    return size > maxSize
  })
  return size
}
