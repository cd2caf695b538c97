import { conjuncts, type Expression, type FromNode } from '../shape/query-shape.js'
import { isTrivial } from './trivial-conditions.js'

export type LeafNode = Exclude<FromNode, { kind: 'join' }>

/** Joins whose order does not matter: a product of items, left joins onto it, and conditions on the result. */
export interface JoinPool {
  readonly items: readonly JoinItem[]
  readonly lefts: readonly LeftJoin[]
  readonly conditions: readonly Expression[]
}

/** A table, or a join of another kind, which keeps its two sides apart. */
export type JoinItem = LeafNode | KeptJoin

interface KeptJoin {
  readonly kind: 'kept'
  readonly join: string
  readonly left: JoinPool
  readonly right: JoinPool
  /** The sides as they stand in FROM. */
  readonly leftNode: FromNode
  readonly rightNode: FromNode
  readonly on: readonly Expression[]
  readonly extras: readonly Expression[]
}

export interface LeftJoin {
  readonly right: JoinPool
  readonly on: readonly Expression[]
}

/**
 * One form for FROM: comma, CROSS and INNER joins are a product whose ON conditions are pooled; left joins
 * commute with it, since a condition on the preserved side may be applied after; a right join is a left join
 * of the other side.
 */
export function poolJoins(node: FromNode | undefined): JoinPool {
  if (node === undefined) return { items: [], lefts: [], conditions: [] }
  if (node.kind !== 'join') return { items: [node], lefts: [], conditions: [] }
  const [left, right] = [poolJoins(node.left), poolJoins(node.right)]
  const on = conjuncts(node.on).filter((condition) => !isTrivial(condition))
  if (node.extras.length === 0) {
    if (node.join === 'inner') {
      return {
        items: [...left.items, ...right.items],
        lefts: [...left.lefts, ...right.lefts],
        conditions: [...left.conditions, ...right.conditions, ...on],
      }
    }
    if (node.join === 'left') return { ...left, lefts: [...left.lefts, { right, on }] }
    if (node.join === 'right') return { ...right, lefts: [...right.lefts, { right: left, on }] }
  }
  const kept: KeptJoin = {
    kind: 'kept',
    join: node.join,
    left,
    right,
    leftNode: node.left,
    rightNode: node.right,
    on,
    extras: node.extras,
  }
  return { items: [kept], lefts: [], conditions: [] }
}

function isLeaf(item: JoinItem): item is LeafNode {
  return item.kind !== 'kept'
}

/** The tables of a pool, in the order of the text. */
export function poolLeaves(pool: Pick<JoinPool, 'items' | 'lefts'>): readonly LeafNode[] {
  if (pool.lefts.length === 0 && pool.items.every(isLeaf)) return pool.items
  const own = pool.items.flatMap((item) =>
    item.kind === 'kept' ? [...poolLeaves(item.left), ...poolLeaves(item.right)] : [item],
  )
  return [...own, ...pool.lefts.flatMap((left) => poolLeaves(left.right))]
}
