import type { Expression } from '../shape/query-shape.js'

const commutative: ReadonlySet<string> = new Set(['=', '<>', 'and', 'or', '+', '*', 'is_not_distinct'])

const known = new WeakMap<Expression, string>()

/** A text that expressions share only if they are the same, but for the order of commutative operands. */
export function keyOfExpression(expression: Expression): string {
  const found = known.get(expression)
  if (found !== undefined) return found
  const key = spell(expression)
  known.set(expression, key)
  return key
}

function spell(expression: Expression): string {
  if (expression.kind !== 'apply') return JSON.stringify(expression)
  const args = expression.args.map(keyOfExpression)
  return `${expression.op}(${(commutative.has(expression.op) ? args.sort() : args).join(', ')})`
}
