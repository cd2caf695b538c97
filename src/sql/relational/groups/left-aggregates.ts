import { isNumberLiteral } from '../../functions/function-table.js'
import { type LeftJoin, poolLeaves } from '../../normalize/join-pool.js'
import {
  apply,
  conjuncts,
  type Expression,
  emptySelect,
  isStar,
  type SelectShape,
} from '../../shape/query-shape.js'
import { mapAll } from '../../shape/rewrite-query.js'
import { renumberSources } from '../../shape/source-ids.js'
import { asSelect } from '../as-select.js'
import { isSameExpression, queryReads, reads } from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { isKey } from '../functional-dependencies.js'
import { blockOf, isPlainSelect, type JoinBlock, withBlock } from '../join-block.js'
import { isAggregateCall, isStable, mayAggregate } from '../known-functions.js'
import { isColumnOf, isNullWhere } from '../nullability.js'
import type { Facts } from '../table-facts.js'
import { haveSameAffinity } from '../values/affinity.js'
import { mapResultValues } from '../values/map-result-values.js'
import { hasGroupingSets } from './grouping-sets.js'

/** More aggregates than this are not written out. */
const maxUses = 8

const nullOnEmpty: ReadonlySet<string> = new Set(['sum', 'avg', 'min', 'max'])

/**
 * Aggregates of what a left join finds for each row, as scalar subqueries: `count(b.id)` of `a LEFT JOIN b ON …`
 * grouped by a key of a, and columns of `LEFT JOIN (SELECT …, count(*) … GROUP BY …)`. What finds nothing counts 0
 * in either, and all else is NULL.
 */
export function leftAggregatesToScalars(select: SelectShape, facts: Facts): SelectShape {
  if (select.extras.length > 0 || select.qualify !== undefined || select.distinct) return select
  const block = blockOf(select)
  if (block.lefts.length === 0 || select.outputs.some((value) => isStar(value) || hasWindow(value)))
    return select
  const isGrouped = select.groupBy.length > 0
  return (isGrouped ? ofGroups(select, block, facts) : ofGroupedTable(select, block, facts)) ?? select
}

function ofGroups(select: SelectShape, block: JoinBlock, facts: Facts): SelectShape | undefined {
  const [left, another] = block.lefts
  if (left === undefined || another !== undefined || hasGroupingSets(select)) return undefined
  const ids = new Set(poolLeaves(left.right).map(({ id }) => id))
  const bare: JoinBlock = { items: block.items, lefts: [], where: block.where }
  if ([...select.groupBy, ...block.where].some((value) => reads(value, ids))) return undefined
  let uses = 0
  let isSure = true
  const change = (value: Expression): Expression => {
    if (value.kind === 'query' || value.kind === 'column') {
      if (reads(value, ids)) isSure = false
      return value
    }
    if (value.kind !== 'apply') return value
    if (!isAggregateCall(value)) return withArgs(value, mapAll(value.args, change))
    uses++
    const [only, ...others] = value.args
    const of = only?.kind === 'apply' && only.op === 'distinct' ? only.args[0] : only
    const isPlain = value.op === 'count' || nullOnEmpty.has(value.op)
    // A value that is not NULL where the join finds no row is counted there too.
    if (!isPlain || of === undefined || others.length > 0 || !isNullWhere(of, isColumnOf(ids))) isSure = false
    return isSure ? matched(left, value, facts) : value
  }
  const changed = mapResultValues(select, change)
  if (!isSure || uses === 0 || uses > maxUses || !isKey(select.groupBy, bare, facts)) return undefined
  const where = [...block.where, ...conjuncts(changed.having)]
  if (changed.outputs.some(mayAggregate) || where.some(mayAggregate)) return undefined
  return withBlock({ ...changed, groupBy: [], having: undefined }, { ...bare, where })
}

/** The aggregate of the rows that match. */
function matched({ right, on }: LeftJoin, value: Expression, facts: Facts): Expression {
  const rows = withBlock(emptySelect, { items: right.items, lefts: right.lefts, where: on })
  const query = { ...rows, outputs: [value], names: [undefined] }
  return { kind: 'query', query: renumberSources(query, () => facts.nextSourceId()) }
}

function ofGroupedTable(select: SelectShape, block: JoinBlock, facts: Facts): SelectShape | undefined {
  if (select.having !== undefined || select.outputs.some(mayAggregate)) return undefined
  for (const left of block.lefts) {
    const [item, another] = left.right.items
    if (item?.kind !== 'derived' || another !== undefined || left.right.lefts.length > 0) continue
    const { id, query, extras } = item
    if (extras.length > 0 || query.kind !== 'select' || query.distinct || query.groupBy.length === 0) continue
    if (!isPlainSelect({ ...query, groupBy: [] }) || hasGroupingSets(query) || !query.outputs.every(isStable))
      continue
    const outer = matchedKeys(left, id, query, facts)
    if (outer === undefined) continue
    const rest = withBlock(select, { ...block, lefts: block.lefts.filter((other) => other !== left) })
    const changed = readingScalars(rest, id, query, outer, facts)
    if (changed !== undefined) return asSelect(changed, select)
  }
  return undefined
}

/** Returns the expressions that the group keys are compared with, in their order; undefined where the join has other conditions. */
function matchedKeys(
  { on }: LeftJoin,
  id: number,
  query: SelectShape,
  facts: Facts,
): readonly Expression[] | undefined {
  const own = new Set([id])
  const found = query.groupBy.map((key) => {
    for (const condition of on) {
      if (condition.kind !== 'apply' || condition.op !== '=' || condition.args.length !== 2) return undefined
      const at = condition.args.findIndex((arg) => {
        const output =
          arg.kind === 'column' && arg.source === id ? query.outputs[arg.output ?? -1] : undefined
        return output !== undefined && isSameExpression(output, key)
      })
      const other = condition.args[1 - at]
      if (at < 0 || other === undefined || reads(other, own)) continue
      return facts.dialect !== 'sqlite' || haveSameAffinity(key, other, facts) ? other : undefined
    }
    return undefined
  })
  const all = found.filter((value) => value !== undefined)
  return all.length === found.length && on.length === found.length ? all : undefined
}

function readingScalars(
  rest: SelectShape,
  id: number,
  query: SelectShape,
  outer: readonly Expression[],
  facts: Facts,
): SelectShape | undefined {
  const own = new Set([id])
  let uses = 0
  const aggregateOf = (value: Expression): Expression | undefined =>
    value.kind === 'column' && value.source === id ? query.outputs[value.output ?? -1] : undefined
  const scalar = (value: Expression): Expression => {
    uses++
    const block = blockOf(query)
    const where = [...block.where, ...query.groupBy.map((key, at) => apply('=', key, outer[at] ?? key))]
    const rows = withBlock({ ...emptySelect, outputs: [value], names: [undefined] }, { ...block, where })
    return { kind: 'query', query: renumberSources(rows, () => facts.nextSourceId()) }
  }
  const change = (value: Expression): Expression => {
    const aggregate = aggregateOf(value)
    const isNull = aggregate?.kind === 'apply' && nullOnEmpty.has(aggregate.op) && aggregate.args.length === 1
    if (isNull) return scalar(aggregate)
    if (value.kind !== 'apply') return value
    const [first, second, ...others] = value.args
    const count = first && aggregateOf(first)
    const isCount = count?.kind === 'apply' && count.op === 'count' && count.args.length === 1
    const isZero = value.op === 'coalesce' && others.length === 0 && isNumberLiteral(second, '0')
    return isCount && isZero ? scalar(count) : withArgs(value, mapAll(value.args, change))
  }
  const shown = mapResultValues(rest, change)
  const block = blockOf(shown)
  const changed = withBlock(shown, { ...block, where: mapAll(block.where, change) })
  return queryReads(changed, own) || uses === 0 || uses > maxUses ? undefined : changed
}

function withArgs(call: Expression & { kind: 'apply' }, args: readonly Expression[]): Expression {
  return args === call.args ? call : { ...call, args }
}
