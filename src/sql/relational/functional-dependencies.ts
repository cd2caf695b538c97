import { type LeafNode, type LeftJoin, poolLeaves } from '../normalize/join-pool.js'
import type { Expression, QueryShape, SourceId } from '../shape/query-shape.js'
import { someDeep } from '../shape/rewrite-query.js'
import { plainName } from '../tables/table-schema.js'
import { type Column, includesExpression, isSameExpression, queryReads } from './column-references.js'
import { type JoinBlock, sourcesOf } from './join-block.js'
import { certainlyAggregates, isScalar, isStable } from './known-functions.js'
import { rejectsNull } from './nullability.js'
import type { Facts } from './table-facts.js'

/** The expressions that have one value once some other values are given. */
export interface DependencyClosure {
  readonly sources: ReadonlySet<SourceId>
  has(value: Expression): boolean
}

/**
 * Functional dependencies: what is determined in a row of the block once the given values are, through equations
 * and keys. Columns of tables outside the block are constants to it.
 */
export function dependencyClosure(
  given: readonly Expression[],
  block: JoinBlock,
  facts: Facts,
): DependencyClosure {
  const own = sourcesOf(block)
  const sources = new Set<SourceId>()
  const values: Expression[] = [...given]
  const has = (value: Expression): boolean => {
    if (includesExpression(values, value)) return true
    if (value.kind === 'literal') return true
    if (value.kind === 'query') return isStable(value) && !queryReads(value.query, own)
    if (value.kind === 'column')
      return value.source !== undefined && (!own.has(value.source) || sources.has(value.source))
    return value.kind === 'apply' && isScalar(value) && value.args.every(has)
  }
  // Whether a left join matches depends on all that its condition reads of the other tables.
  const isDecided = ({ right, on }: LeftJoin): boolean => {
    const optional = new Set(poolLeaves(right).map(({ id }) => id))
    return !on.some((condition) =>
      someDeep(
        condition,
        (part) =>
          part.kind === 'column' &&
          (part.source === undefined || (own.has(part.source) && !optional.has(part.source))) &&
          !has(part),
      ),
    )
  }
  const leftOf = (id: SourceId): LeftJoin | undefined =>
    block.lefts.find(({ right }) => poolLeaves(right).some((node) => node.id === id))
  const mayMissOut = (id: SourceId): boolean => {
    const left = leftOf(id)
    return left !== undefined && !isDecided(left)
  }
  const conditionsOn = ({ id }: LeafNode): readonly Expression[] => [
    ...block.where,
    ...(leftOf(id)?.on ?? []),
  ]
  const sidesOf = (conditions: readonly Expression[], isWhere: boolean): Side[] =>
    conditions.flatMap(equationOf).flatMap(([a, b]) => [
      { from: a, to: b, isWhere },
      { from: b, to: a, isWhere },
    ])
  const sides = [...sidesOf(block.where, true), ...block.lefts.flatMap(({ on }) => sidesOf(on, false))]
  const inner = new Set(sourcesOf({ items: block.items, lefts: [] }))
  const nodes = poolLeaves({ items: block.items, lefts: block.lefts })
  for (let changed = true; changed; ) {
    changed = false
    for (const { from, to, isWhere } of sides) {
      // A left join's condition holds for the rows that it matches, not for those of its left side.
      const binds = to.kind === 'column' && to.source !== undefined && own.has(to.source)
      if (!binds || has(to) || !has(from)) continue
      if (!isWhere && (inner.has(to.source) || mayMissOut(to.source))) continue
      values.push(to)
      changed = true
    }
    for (const node of nodes) {
      const keys = keysOf(node, facts, conditionsOn(node)).filter((key) => key.every(has))
      if (sources.has(node.id) || keys.length === 0) continue
      if (keys.every((key) => key.length === 0) && mayMissOut(node.id)) continue
      sources.add(node.id)
      changed = true
    }
  }
  return { sources, has }
}

/** One side of an equation, which the other determines. */
interface Side {
  readonly from: Expression
  readonly to: Expression
  readonly isWhere: boolean
}

/** Whether the given values tell every row of the block from every other. */
export function isKey(given: readonly Expression[], block: JoinBlock, facts: Facts): boolean {
  if (block.items.some((item) => item.kind === 'kept')) return false
  if (poolLeaves({ items: block.items, lefts: block.lefts }).some((node) => hasNoKey(node, facts)))
    return false
  const { sources } = dependencyClosure(given, block, facts)
  return [...sourcesOf(block)].every((source) => sources.has(source))
}

function equationOf(condition: Expression): (readonly [Expression, Expression])[] {
  const [a, b] = condition.kind === 'apply' && condition.op === '=' ? condition.args : []
  return a === undefined || b === undefined ? [] : [[a, b]]
}

function hasNoKey(node: LeafNode, facts: Facts): boolean {
  if (node.kind === 'derived') return false
  const keys = facts.tables.get(node.id)?.keys
  return keys === undefined || keys.length === 0
}

/** Sets of columns that tell the rows of a table in FROM apart, none of them NULL. */
function keysOf(
  node: LeafNode,
  facts: Facts,
  conditions: readonly Expression[],
): readonly (readonly Column[])[] {
  if (node.kind === 'derived') return node.extras.length === 0 ? keysOfQuery(node.id, node.query) : []
  const table = facts.tables.get(node.id)
  if (table === undefined) return []
  const columnOf = (name: string): Column => ({
    kind: 'column',
    source: node.id,
    name: quoteUnlessPlain(name),
  })
  const isComplete = (name: string): boolean => {
    const wanted = columnOf(name)
    return (
      table.columns.get(name)?.notNull === true ||
      conditions.some((condition) => rejectsNull(condition, (column) => isSameExpression(column, wanted)))
    )
  }
  return table.keys.filter((key) => key.columns.every(isComplete)).map((key) => key.columns.map(columnOf))
}

/** As names are folded: bare where they are plain words. */
function quoteUnlessPlain(name: string): string {
  const plain = plainName(name)
  return /^[a-z_][a-z0-9_$]*$/u.test(plain) ? plain : `"${plain}"`
}

/** A grouped query has one row for each group, a distinct one no row twice, an aggregate over everything one row. */
function keysOfQuery(id: SourceId, query: QueryShape): readonly (readonly Column[])[] {
  if (query.extras.length > 0) return []
  if (query.limit?.kind === 'literal' && query.limit.value === '1') return [[]]
  if (query.kind !== 'select') return []
  const column = (at: number): Column => ({
    kind: 'column',
    source: id,
    name: query.names[at] ?? `${at}`,
    output: at,
  })
  if (query.distinct)
    return [query.outputs.flatMap((output, at) => (output.kind === 'literal' ? [] : [column(at)]))]
  if (query.groupBy.length === 0) return query.outputs.some(certainlyAggregates) ? [[]] : []
  const places = query.groupBy.map((key) =>
    query.outputs.findIndex((output) => isSameExpression(output, key)),
  )
  return places.every((at) => at >= 0) ? [places.map(column)] : []
}
