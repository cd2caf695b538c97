import { trueLiteral } from '../../conditions/boolean-expressions.js'
import {
  apply,
  conjunction,
  type Expression,
  isStar,
  type OrderItem,
  type QueryShape,
  type SelectShape,
  type SetShape,
} from '../../shape/query-shape.js'
import { isSameExpression, replaceColumns } from '../column-references.js'
import { isRowSet } from '../duplicate-insensitivity.js'
import { blockOf, withBlock } from '../join-block.js'
import { assumeNotNull, isNotNull } from '../nullability.js'
import { existsOfQuery } from '../subqueries/in-to-exists.js'
import type { Facts } from '../table-facts.js'
import { areDisjoint } from './disjoint-conditions.js'

/** INTERSECT and EXCEPT as DISTINCT rows for which a row exists, or does not, in the other operands. */
export function setOperationToExists(query: SetShape, facts: Facts): QueryShape {
  if (
    query.all ||
    query.extras.length > 0 ||
    (query.operation !== 'intersect' && query.operation !== 'except')
  )
    return query
  const [first, ...others] = query.operands
  if (first === undefined || !isSimple(first)) return query
  const outputs = first.outputs
  if (
    !others.every((other): other is SelectShape => isSimple(other) && other.outputs.length === outputs.length)
  )
    return query
  const block = blockOf(first)
  const tests = others.map((other) =>
    membership(other, outputs, block.where, query.operation === 'except', facts),
  )
  if (!tests.every((test) => test !== undefined)) return query
  const conditions = tests.map((test) => (query.operation === 'except' ? apply('not', test) : test))
  const orderBy = byOutput(query.orderBy, outputs)
  if (orderBy === undefined) return query
  return {
    ...withBlock(first, { ...block, where: [...block.where, ...conditions] }),
    distinct: true,
    orderBy,
    limit: query.limit,
    offset: query.offset,
  }
}

/** Operands whose rows are those of their FROM and WHERE. */
function isSimple(query: QueryShape): query is SelectShape {
  return query.kind === 'select' && isRowSet(query) && !query.outputs.some(isStar) && query.from !== undefined
}

function membership(
  other: SelectShape,
  outputs: readonly Expression[],
  given: readonly Expression[],
  negated: boolean,
  facts: Facts,
): Expression | undefined {
  const block = blockOf(other)
  const equations: Expression[] = []
  for (const [at, output] of outputs.entries()) {
    const value = other.outputs[at]
    if (value === undefined) return undefined
    const never =
      isNotNull(output, facts, given) ||
      (!negated && isNotNull(value, facts, block.where)) ||
      (negated && isNotNull(value, facts, block.where))
    const assumed = never || assumeNotNull(output, facts)
    equations.push(assumed ? apply('=', value, output) : apply('is_not_distinct', ...[value, output]))
  }
  const inner = withBlock(other, { ...block, where: [...block.where, ...equations] })
  return existsOfQuery({ ...inner, outputs: [], names: [], distinct: false, orderBy: [], positional: false })
}

/** ORDER BY after a set operation names outputs by number. */
function byOutput(orderBy: readonly OrderItem[], outputs: readonly Expression[]): OrderItem[] | undefined {
  const items = orderBy.map((item): OrderItem | undefined => {
    const { by } = item
    const [number] = by.kind === 'apply' && by.op === 'output' ? by.args : []
    const output = number?.kind === 'literal' ? outputs[Number(number.value) - 1] : undefined
    return output === undefined ? undefined : { ...item, by: output }
  })
  return items.every((item) => item !== undefined) ? items.filter((item) => item !== undefined) : undefined
}

/** UNION of the rows of one table that satisfy one condition or another; UNION ALL where no row satisfies two. */
export function mergeUnion(query: SetShape, facts: Facts): QueryShape {
  if (query.operation !== 'union' || query.extras.length > 0) return query
  if (query.all && query.operands.some((operand) => operand.kind !== 'select' || operand.distinct))
    return query
  const [first, ...others] = query.operands
  if (first === undefined || others.length === 0 || !isSimple(first)) return query
  const block = blockOf(first)
  const [item] = block.items
  if (item?.kind !== 'table' || block.items.length !== 1 || block.lefts.length > 0 || item.extras.length > 0)
    return query
  const options: (readonly Expression[])[] = [block.where]
  if (block.where.length === 0) return query
  for (const other of others) {
    if (!isSimple(other)) return query
    const own = blockOf(other)
    const [table] = own.items
    if (
      table?.kind !== 'table' ||
      own.items.length !== 1 ||
      own.lefts.length > 0 ||
      table.name !== item.name ||
      table.extras.length > 0
    )
      return query
    const renamed = replaceColumns(other, (column) =>
      column.source === table.id ? { ...column, source: item.id } : undefined,
    )
    if (
      renamed.kind !== 'select' ||
      own.where.length === 0 ||
      renamed.outputs.length !== first.outputs.length
    )
      return query
    if (!renamed.outputs.every((output, at) => isSameExpression(output, first.outputs[at] ?? output)))
      return query
    options.push(blockOf(renamed).where)
  }
  if (query.all && !areDisjoint(options, facts)) return query
  const orderBy = byOutput(query.orderBy, first.outputs)
  if (orderBy === undefined) return query
  const where = [apply('or', ...options.map((option) => conjunction(option) ?? trueLiteral))]
  return {
    ...withBlock(first, { ...block, where }),
    distinct: !query.all,
    orderBy,
    limit: query.limit,
    offset: query.offset,
  }
}

/** DISTINCT and ORDER BY in the operands of a set operation that keeps no duplicates say nothing. */
export function simplifyOperands(query: SetShape): SetShape {
  if (query.operation === 'group' || query.operation === 'recursive' || query.operation === 'values')
    return query
  let changed = false
  const operands = query.operands.map((operand): QueryShape => {
    if (operand.limit !== undefined || operand.offset !== undefined || operand.extras.length > 0)
      return operand
    const unordered = operand.orderBy.length > 0 ? { ...operand, orderBy: [] } : operand
    const plain =
      !query.all && unordered.kind === 'select' && unordered.distinct
        ? { ...unordered, distinct: false }
        : unordered
    if (plain !== operand) changed = true
    return plain
  })
  return changed ? { ...query, operands } : query
}

/** A chain of one operation is one operation: nested unions arise when derived tables are opened. */
export function flattenChain(query: SetShape): SetShape {
  if (query.operation !== 'union' && query.operation !== 'intersect') return query
  let changed = false
  const operands = query.operands.flatMap((operand): readonly QueryShape[] => {
    const joins =
      operand.kind === 'set' &&
      operand.operation === query.operation &&
      (operand.all === query.all || (!query.all && query.operation === 'union'))
    const bare =
      operand.orderBy.length === 0 &&
      operand.limit === undefined &&
      operand.offset === undefined &&
      operand.extras.length === 0
    if (!joins || !bare || operand.kind !== 'set') return [operand]
    changed = true
    return operand.operands
  })
  return changed ? { ...query, operands } : query
}
