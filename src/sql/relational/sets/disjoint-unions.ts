import { isNull } from '../../conditions/boolean-expressions.js'
import { compareLiterals } from '../../conditions/literal-bounds.js'
import { type Expression, isStar, type SelectShape, type SetShape } from '../../shape/query-shape.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { blockOf } from '../join-block.js'
import { assumeNotNull, isNotNull } from '../nullability.js'
import type { Facts } from '../table-facts.js'

/** More operands are not compared with one another. */
const maxOperands = 24

/**
 * UNION of operands of which no two share a row is UNION ALL of their distinct rows: one column holds different
 * literals, or NULL in one and never NULL in the other.
 */
export function disjointUnionToUnionAll(query: SetShape, facts: Facts): SetShape {
  if (query.operation !== 'union' || query.all || query.extras.length > 0) return query
  const { operands } = query
  if (operands.length < 2 || operands.length > maxOperands) return query
  const selects = operands.filter((operand): operand is SelectShape => canBeDistinct(operand))
  if (selects.length < operands.length) return query
  for (const [at, one] of selects.entries()) {
    if (!selects.slice(at + 1).every((other) => shareNoRow(one, other, facts))) return query
  }
  return { ...query, all: true, operands: selects.map((select) => ({ ...select, distinct: true })) }
}

function canBeDistinct(query: SetShape['operands'][number]): boolean {
  return (
    query.kind === 'select' &&
    query.limit === undefined &&
    query.offset === undefined &&
    query.orderBy.length === 0 &&
    query.extras.length === 0 &&
    query.qualify === undefined &&
    !query.outputs.some((output) => isStar(output) || hasWindow(output))
  )
}

function shareNoRow(one: SelectShape, other: SelectShape, facts: Facts): boolean {
  if (one.outputs.length !== other.outputs.length) return false
  if (one.outputs.some((output, at) => areDifferent(output, other.outputs[at]))) return true
  const pairs = one.outputs.map((output, at) => [output, other.outputs[at] ?? output] as const)
  const isSure = ([a, b]: readonly [Expression, Expression], assume: boolean): boolean =>
    (isNull(a) && isNeverNull(b, other, facts, assume)) || (isNull(b) && isNeverNull(a, one, facts, assume))
  return pairs.some((pair) => isSure(pair, false)) || pairs.some((pair) => isSure(pair, true))
}

function areDifferent(a: Expression, b: Expression | undefined): boolean {
  if (a.kind !== 'literal' || b?.kind !== 'literal') return false
  const order = compareLiterals(a, b)
  return order !== undefined && order !== 0
}

/** Whether the value is never NULL, or may be assumed not to be. */
function isNeverNull(value: Expression, select: SelectShape, facts: Facts, assume: boolean): boolean {
  if (value.kind === 'query' || isNull(value)) return false
  if (isNotNull(value, facts, blockOf(select).where)) return true
  return assume && value.kind === 'column' && assumeNotNull(value, facts)
}
