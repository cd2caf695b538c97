import { type JoinItem, type JoinPool, type LeftJoin, poolJoins, poolLeaves } from '../normalize/join-pool.js'
import {
  conjunction,
  conjuncts,
  type Expression,
  type FromNode,
  type QueryShape,
  type SelectShape,
  type SourceId,
} from '../shape/query-shape.js'

/** FROM and WHERE as one thing: a product of items, left joins onto it, conditions on the result. */
export interface JoinBlock {
  readonly items: readonly JoinItem[]
  readonly lefts: readonly LeftJoin[]
  readonly where: readonly Expression[]
}

/** Queries never change, and every rule asks for the block. */
const cachedBlocks = new WeakMap<SelectShape, JoinBlock>()

export function blockOf(select: SelectShape): JoinBlock {
  const found = cachedBlocks.get(select)
  if (found !== undefined) return found
  const block = readBlock(select)
  cachedBlocks.set(select, block)
  return block
}

function readBlock(select: SelectShape): JoinBlock {
  const pool = poolJoins(select.from)
  return {
    items: pool.items,
    lefts: pool.lefts.map(onlyOn),
    where: [...conjuncts(select.where), ...pool.conditions.flatMap(conjuncts)],
  }
}

/** A condition on the optional side of a left join is one on the match. */
function onlyOn({ right, on }: LeftJoin): LeftJoin {
  const conditions = [...on, ...right.conditions].flatMap(conjuncts)
  return { right: { ...right, conditions: [], lefts: right.lefts.map(onlyOn) }, on: conditions }
}

export function withBlock(select: SelectShape, block: JoinBlock): SelectShape {
  return {
    ...select,
    from: toFrom(block.items, block.lefts),
    where: conjunction(block.where.flatMap(conjuncts)),
  }
}

function toFrom(items: readonly JoinItem[], lefts: readonly LeftJoin[]): FromNode | undefined {
  const nodes = items.map(itemNode)
  const [first, ...rest] = nodes
  if (first === undefined) return undefined
  const product = rest.reduce<FromNode>((left, right) => join('inner', left, right, undefined), first)
  return lefts.reduce<FromNode>(
    (left, { right, on }) => join('left', left, poolNode(right), conjunction(on)),
    product,
  )
}

function join(kind: string, left: FromNode, right: FromNode, on: Expression | undefined): FromNode {
  return { kind: 'join', join: kind, left, right, on, extras: [] }
}

function poolNode(pool: JoinPool): FromNode {
  const node = toFrom(pool.items, pool.lefts)
  if (node === undefined) throw new Error('A joined side reads no table')
  if (pool.conditions.length === 0) return node
  if (node.kind !== 'join') throw new Error('A single table has no join conditions')
  const conditions = conjunction([
    ...pool.conditions,
    ...conjuncts(node.join === 'inner' ? node.on : undefined),
  ])
  if (node.join === 'inner') return { ...node, on: conditions }
  throw new Error('Conditions after a left join belong to the match')
}

function itemNode(item: JoinItem): FromNode {
  if (item.kind !== 'kept') return item
  return {
    kind: 'join',
    join: item.join,
    left: item.leftNode,
    right: item.rightNode,
    on: conjunction(item.on),
    extras: item.extras,
  }
}

/** The tables that the block's FROM reads. */
export function sourcesOf(block: Pick<JoinBlock, 'items' | 'lefts'>): ReadonlySet<SourceId> {
  const found = cachedSources.get(block)
  if (found !== undefined) return found
  const own = new Set(poolLeaves(block).map((node) => node.id))
  cachedSources.set(block, own)
  return own
}

const cachedSources = new WeakMap<object, ReadonlySet<SourceId>>()

/** A SELECT that only joins and filters: its rows are the rows of its block, nothing merged, ordered or cut. */
export function isPlainSelect(query: QueryShape): query is SelectShape {
  return (
    query.kind === 'select' &&
    query.groupBy.length === 0 &&
    query.having === undefined &&
    query.qualify === undefined &&
    query.limit === undefined &&
    query.offset === undefined &&
    query.extras.length === 0
  )
}
