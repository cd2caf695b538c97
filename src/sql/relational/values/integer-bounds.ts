import { apply, type Expression } from '../../shape/query-shape.js'
import type { Facts } from '../table-facts.js'
import { isIntegerValued, isRowPosition } from './integer-values.js'

/** Of whole numbers, more than 3 is at least 4; of places, the first is up to 1. */
export function normalizeIntegerBounds(expression: Expression, facts: Facts): Expression {
  if (expression.kind !== 'apply' || expression.args.length !== 2) return expression
  const [low, high] = expression.args
  if (low === undefined || high === undefined) return expression
  if (expression.op === '<=')
    return isInteger(high) && high.value === '1' && isRowPosition(low, facts)
      ? apply('=', low, high)
      : expression
  if (expression.op !== '<') return expression
  if (isInteger(low) && isIntegerValued(high, facts)) return apply('<=', shifted(low, 1), high)
  return isInteger(high) && isIntegerValued(low, facts) ? apply('<=', low, shifted(high, -1)) : expression
}

type Numeral = Expression & { kind: 'literal' }

function isInteger(value: Expression): value is Numeral {
  return value.kind === 'literal' && value.type === 'number' && /^-?\d{1,9}$/u.test(value.value)
}

function shifted(value: Numeral, by: number): Expression {
  return { ...value, value: String(Number(value.value) + by) }
}

/** A group has at least one row. */
export function isTrueForEveryGroup(condition: Expression): boolean {
  if (condition.kind !== 'apply' || condition.op !== '<=') return false
  const [low, high] = condition.args
  if (low === undefined || !isInteger(low) || Number(low.value) > 1 || high?.kind !== 'apply') return false
  const [counted] = high.args
  return high.op === 'count' && high.args.length === 1 && counted?.kind === 'literal' && counted.value === '*'
}
