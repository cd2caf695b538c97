import {
  conjunction,
  conjuncts,
  type Expression,
  isStar,
  type QueryShape,
  type SelectShape,
  type SetShape,
  type SourceId,
} from '../../shape/query-shape.js'
import { hasQuery, someDeep, someExpression } from '../../shape/rewrite-query.js'
import { includesExpression, replaceColumnsIn } from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { hasGroupingSets } from '../groups/grouping-sets.js'
import { blockOf, withBlock } from '../join-block.js'
import { isScalar, mayAggregate } from '../known-functions.js'
import type { Facts } from '../table-facts.js'
import { haveSameAffinity } from '../values/affinity.js'

/**
 * A condition on the columns of a derived table alone holds for its rows as well: in the operands of a set operation, of
 * DISTINCT rows, of groups by their keys (else in HAVING), and of the partitions of windows.
 */
export function pushDownFilters(select: SelectShape, facts: Facts): SelectShape {
  if (select.where === undefined || select.from === undefined) return select
  const block = blockOf(select)
  for (const item of block.items) {
    if (item.kind !== 'derived' || item.extras.length > 0 || isPlain(item.query)) continue
    for (const condition of block.where) {
      if (!isOnly(condition, item.id)) continue
      const query = filtered(item.query, condition, item.id, facts)
      if (query === undefined) continue
      return withBlock(select, {
        ...block,
        items: block.items.map((other) => (other === item ? { ...item, query } : other)),
        where: block.where.filter((other) => other !== condition),
      })
    }
  }
  return select
}

/** Of which the value, or what it is compared with, depends on the type of a column. */
const typed: ReadonlySet<string> = new Set(['/', 'div', '%', '||', 'cast', 'try_cast', 'concat', 'length'])

/** Whether the condition reads columns of the derived table, and nothing else. */
function isOnly(condition: Expression, id: SourceId): boolean {
  let isOwn = false
  const others = someDeep(condition, (part) => {
    if (part.kind === 'query') return true
    if (part.kind !== 'column') return false
    isOwn = true
    return part.source !== id || part.output === undefined
  })
  return isOwn && !others && isScalar(condition)
}

/** Joined, filtered and computed rows, which become part of the query around them. */
function isPlain(query: QueryShape): boolean {
  return (
    query.kind === 'select' &&
    !query.distinct &&
    query.groupBy.length === 0 &&
    !query.outputs.some((output) => hasWindow(output) || mayAggregate(output))
  )
}

function filtered(
  query: QueryShape,
  condition: Expression,
  id: SourceId,
  facts: Facts,
): QueryShape | undefined {
  if (query.limit !== undefined || query.offset !== undefined || query.extras.length > 0) return undefined
  return query.kind === 'set'
    ? filteredSet(query, condition, id, facts)
    : filteredSelect(query, condition, id)
}

const setOperations: ReadonlySet<string> = new Set(['union', 'intersect', 'except'])

function filteredSet(
  query: SetShape,
  condition: Expression,
  id: SourceId,
  facts: Facts,
): SetShape | undefined {
  if (!setOperations.has(query.operation)) return undefined
  if (someExpression(condition, (part) => part.kind === 'apply' && typed.has(part.op))) return undefined
  if (facts.dialect === 'sqlite' && !areOfOneAffinity(query, condition, facts)) return undefined
  const operands = query.operands.map((operand) => filtered(operand, condition, id, facts))
  return operands.every((operand) => operand !== undefined) ? { ...query, operands } : undefined
}

/** In SQLite the column of a set operation compares as the type of one of its operands says. */
function areOfOneAffinity({ operands }: SetShape, condition: Expression, facts: Facts): boolean {
  const [first, ...others] = operands
  return !someDeep(condition, (part) => {
    if (part.kind !== 'column' || part.output === undefined) return false
    const at = part.output
    const value = first?.kind === 'select' ? first.outputs[at] : undefined
    return !others.every((other) => {
      const its = other.kind === 'select' ? other.outputs[at] : undefined
      if (value === undefined || its === undefined) return false
      return haveSameAffinity(value, its, facts) && haveSameAffinity(its, value, facts)
    })
  })
}

function filteredSelect(query: SelectShape, condition: Expression, id: SourceId): SelectShape | undefined {
  if (query.qualify !== undefined || query.outputs.some(isStar) || hasGroupingSets(query)) return undefined
  const read: Expression[] = []
  const unknown = someDeep(condition, (part) => {
    if (part.kind !== 'column' || part.source !== id) return false
    const value = query.outputs[part.output ?? -1]
    if (value !== undefined) read.push(value)
    return value === undefined
  })
  if (unknown || read.some((value) => hasWindow(value) || hasQuery(value))) return undefined
  const inside = replaceColumnsIn(condition, (column) =>
    column.source === id ? query.outputs[column.output ?? -1] : undefined,
  )
  const windows = [...query.outputs, ...query.orderBy.map(({ by }) => by)].filter(hasWindow)
  const isGrouped = query.groupBy.length > 0
  if (windows.length > 0)
    return !isGrouped && windows.every((value) => keepsPartitions(value, read))
      ? inWhere(query, inside)
      : undefined
  if (isGrouped && !read.every((value) => includesExpression(query.groupBy, value)))
    return read.every((value) => includesExpression(query.groupBy, value) || mayAggregate(value))
      ? { ...query, having: conjunction([...conjuncts(query.having), inside]) }
      : undefined
  const isOneRow = !isGrouped && (query.having !== undefined || query.outputs.some(mayAggregate))
  return isOneRow || read.some((value) => !isScalar(value)) ? undefined : inWhere(query, inside)
}

function inWhere(query: SelectShape, condition: Expression): SelectShape {
  const block = blockOf(query)
  return withBlock(query, { ...block, where: [...block.where, condition] })
}

/** Whether all windows of the value have partitions by what is read: a condition on it takes or leaves whole ones. */
function keepsPartitions(value: Expression, read: readonly Expression[]): boolean {
  if (value.kind !== 'apply') return true
  if (value.op !== 'over') return value.args.every((arg) => keepsPartitions(arg, read))
  const keys = value.args.flatMap((arg) =>
    arg.kind === 'apply' && arg.op === 'field:partition_by' ? arg.args : [],
  )
  return read.every((key) => includesExpression(keys, key))
}
