import { apply, type Expression } from '../shape/query-shape.js'
import { isNull } from './boolean-expressions.js'

/** Operators that are NULL where an operand is. */
const nullPropagatingOperators: ReadonlySet<string> = new Set([
  '=',
  '<>',
  '<',
  '<=',
  '+',
  '-',
  '*',
  '%',
  'not',
  'neg',
  'like',
])

/** An operator over a written NULL is NULL, whatever its other operand. */
export function propagateNull(expression: Expression): Expression {
  if (expression.kind !== 'apply' || !nullPropagatingOperators.has(expression.op)) return expression
  return expression.args.some(isNull) ? apply('null') : expression
}
