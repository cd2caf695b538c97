import { isStable } from '../relational/functions-known.js'
import type { Expression } from '../shape/query-shape.js'

const commutative: ReadonlySet<string> = new Set(['=', '<>', 'and', 'or', '+', '*', 'is_not_distinct'])

const known = new WeakMap<Expression, string>()

/**
 * A text that expressions share only if they have the same value: spelled alike, but for the order of commutative
 * operands, and of nothing that may give another value when it is evaluated again.
 */
export function keyOfExpression(expression: Expression): string {
  const found = known.get(expression)
  if (found !== undefined) return found
  const key = isStable(expression) ? spell(expression) : `unstable ${++unstable} ${spell(expression)}`
  known.set(expression, key)
  return key
}

let unstable = 0

function spell(expression: Expression): string {
  if (expression.kind === 'column') {
    const { source, name, output, maybeText } = expression
    const text = maybeText === undefined ? '' : JSON.stringify(maybeText)
    return `${source ?? '?'}.${output ?? ''}${JSON.stringify(name)}${text}`
  }
  if (expression.kind === 'literal') return `${expression.type} ${JSON.stringify(expression.value)}`
  if (expression.kind === 'query') return JSON.stringify(expression)
  const args = expression.args.map(keyOfExpression)
  return `${expression.op}(${(commutative.has(expression.op) ? args.sort() : args).join(', ')})`
}
