import {
  apply,
  conjuncts,
  type Expression,
  type FromNode,
  type SelectShape,
  type SourceId,
} from '../../shape/query-shape.js'
import { eachFrom, someInQuery } from '../../shape/rewrite-query.js'
import { type Column, reads } from '../column-references.js'
import { blockOf, sourcesOf, withBlock } from '../join-block.js'
import { isScalar, mayAggregate } from '../known-functions.js'
import type { Facts } from '../table-facts.js'

const comparisons: ReadonlySet<string> = new Set(['=', '<', '<=', '<>'])

/**
 * A comparison with an aggregate over matching rows, as a join with the aggregate of every group: where no row
 * matches, the aggregate is NULL and the comparison rejects the row, as the join does; so does one of a COUNT that asks
 * for some. (Kim 1982)
 */
export function scalarToJoin(select: SelectShape, facts: Facts): SelectShape {
  const block = blockOf(select)
  for (const condition of block.where) {
    if (condition.kind !== 'apply' || !comparisons.has(condition.op)) continue
    for (const [at, side] of condition.args.entries()) {
      const isSome = isAboveZero(condition.op, condition.args, at)
      const inner = side.kind === 'query' ? aggregateOf(side, isSome) : undefined
      const grouped = inner && groupByCorrelation(inner, facts.nextSourceId())
      if (grouped === undefined) continue
      const args = condition.args.map((arg, place) => (place === at ? grouped.value : arg))
      return withBlock(select, {
        ...block,
        items: [...block.items, grouped.node],
        where: [
          ...block.where.filter((other) => other !== condition),
          { ...condition, args },
          ...grouped.equations,
        ],
      })
    }
  }
  return select
}

/** Whether no count of 0 satisfies the comparison: `1 <= count`, `count = 3`. */
function isAboveZero(op: string, args: readonly Expression[], at: number): boolean {
  const other = args[1 - at]
  const least = other?.kind === 'literal' && other.type === 'number' ? Number(other.value) : Number.NaN
  return (op === '=' && least > 0) || (at === 1 && ((op === '<=' && least > 0) || (op === '<' && least >= 0)))
}

/** @param isSome whether a count of no rows is rejected as NULL would be */
function aggregateOf(side: Expression & { kind: 'query' }, isSome: boolean): SelectShape | undefined {
  const { query } = side
  if (
    query.kind !== 'select' ||
    query.groupBy.length > 0 ||
    query.having !== undefined ||
    query.qualify !== undefined
  )
    return undefined
  if (query.extras.length > 0 || query.limit !== undefined || query.offset !== undefined || query.distinct)
    return undefined
  const [output, another] = query.outputs
  if (output === undefined || another !== undefined || !mayAggregate(output)) return undefined
  const isCount = isSome && output.kind === 'apply' && output.op === 'count' && output.args.length === 1
  if (!isCount && !isNullOnEmpty(output)) return undefined
  return query.from === undefined ? undefined : query
}

const nullOnEmpty: ReadonlySet<string> = new Set(['sum', 'avg', 'min', 'max'])
const strictOperators: ReadonlySet<string> = new Set(['+', '-', '*', '/', 'fdiv', 'cast'])

function isNullOnEmpty(value: Expression): boolean {
  if (value.kind !== 'apply') return false
  if (nullOnEmpty.has(value.op))
    return (
      value.args.length === 1 &&
      value.args.every((arg) => isScalar(arg) || (arg.kind === 'apply' && arg.op === 'distinct'))
    )
  return strictOperators.has(value.op) && value.args.some(isNullOnEmpty)
}

export interface GroupedSubquery {
  readonly node: FromNode & { kind: 'derived' }
  readonly value: Column
  readonly equations: readonly Expression[]
}

/** The subquery grouped by what its conditions compare with the rows around it. */
export function groupByCorrelation(query: SelectShape, id: SourceId): GroupedSubquery | undefined {
  const block = blockOf(query)
  const own = sourcesOf(block)
  const isOuter = (value: Expression): boolean =>
    value.kind === 'column' && value.source !== undefined && !own.has(value.source)
  const pairs = block.where.flatMap(
    (condition): { condition: Expression; inner: Expression; outer: Expression }[] => {
      const [a, b] = condition.kind === 'apply' && condition.op === '=' ? condition.args : []
      if (a === undefined || b === undefined) return []
      if (isOuter(a) && b.kind === 'column' && !isOuter(b)) return [{ condition, inner: b, outer: a }]
      return isOuter(b) && a.kind === 'column' && !isOuter(a) ? [{ condition, inner: a, outer: b }] : []
    },
  )
  const used = new Set(pairs.map(({ condition }) => condition))
  const rest = withBlock(query, { ...block, where: block.where.filter((condition) => !used.has(condition)) })
  const inside = nestedSources(rest)
  const isCorrelated = someInQuery(
    rest,
    (part) => part.kind === 'column' && (part.source === undefined || !inside.has(part.source)),
  )
  if (pairs.length === 0 || isCorrelated || conjuncts(rest.having).length > 0) return undefined
  const keys = pairs.map(({ inner }) => inner)
  const column = (output: number): Column => ({ kind: 'column', source: id, name: `${output}`, output })
  const [value] = query.outputs
  if (value === undefined || keys.some((key) => !reads(key, own))) return undefined
  const grouped: SelectShape = {
    ...rest,
    outputs: [...keys, value],
    names: keys.map(() => undefined).concat([undefined]),
    groupBy: keys,
    positional: false,
    orderBy: [],
  }
  return {
    node: { kind: 'derived', id, query: grouped, alias: undefined, extras: [] },
    value: column(keys.length),
    equations: pairs.map(({ outer }, at) => apply('=', column(at), outer)),
  }
}

/** The tables that the query reads, in queries inside it too. */
function nestedSources(query: SelectShape): ReadonlySet<SourceId> {
  const ids = new Set<SourceId>()
  const visit = (node: FromNode): void => {
    if (node.kind === 'join') [node.left, node.right].forEach(visit)
    else ids.add(node.id)
  }
  eachFrom(query, visit)
  return ids
}
