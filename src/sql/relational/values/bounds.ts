import { apply, type Expression } from '../../shape/query-shape.js'

/** Counts are integers: more than 3 is at least 4. */
export function boundCounts(expression: Expression): Expression {
  if (expression.kind !== 'apply' || expression.op !== '<' || expression.args.length !== 2) return expression
  const [low, high] = expression.args
  if (low === undefined || high === undefined) return expression
  if (isCount(high) && isInteger(low)) return apply('<=', shifted(low, 1), high)
  return isCount(low) && isInteger(high) ? apply('<=', low, shifted(high, -1)) : expression
}

type Numeral = Expression & { kind: 'literal' }

function isCount(value: Expression): boolean {
  if (value.kind !== 'query') return value.kind === 'apply' && value.op === 'count'
  const [only, ...others] = value.query.kind === 'select' ? value.query.outputs : []
  return only !== undefined && others.length === 0 && isCount(only)
}

function isInteger(value: Expression): value is Numeral {
  return value.kind === 'literal' && value.type === 'number' && /^-?\d{1,9}$/u.test(value.value)
}

function shifted(value: Numeral, by: number): Expression {
  return { ...value, value: String(Number(value.value) + by) }
}

/** A group has at least one row. */
export function isAlwaysInGroups(condition: Expression): boolean {
  if (condition.kind !== 'apply' || condition.op !== '<=') return false
  const [low, high] = condition.args
  if (low === undefined || !isInteger(low) || Number(low.value) > 1 || high?.kind !== 'apply') return false
  const [counted] = high.args
  return high.op === 'count' && high.args.length === 1 && counted?.kind === 'literal' && counted.value === '*'
}
