import { isStable } from '../relational/known-functions.js'
import type { Expression } from '../shape/query-shape.js'

const commutative: ReadonlySet<string> = new Set(['=', '<>', 'and', 'or', '+', '*', 'is_not_distinct'])

const cachedKeys = new WeakMap<Expression, string>()

/**
 * Returns a text that expressions share only if they have the same value: written alike except for the order of
 * commutative operands, and without calls that may give another value when evaluated again.
 */
export function expressionKey(expression: Expression): string {
  const found = cachedKeys.get(expression)
  if (found !== undefined) return found
  const key = isStable(expression)
    ? serializeExpression(expression)
    : `unstable ${++unstable} ${serializeExpression(expression)}`
  cachedKeys.set(expression, key)
  return key
}

let unstable = 0

function serializeExpression(expression: Expression): string {
  if (expression.kind === 'column') {
    const { source, name, output, maybeText } = expression
    const text = maybeText === undefined ? '' : JSON.stringify(maybeText)
    return `${source ?? '?'}.${output ?? ''}${JSON.stringify(name)}${text}`
  }
  if (expression.kind === 'literal') return `${expression.type} ${JSON.stringify(expression.value)}`
  if (expression.kind === 'query') return JSON.stringify(expression)
  const args = expression.args.map(expressionKey)
  return `${expression.op}(${(commutative.has(expression.op) ? args.sort() : args).join(', ')})`
}
