import type { Dialect } from '../../enums/dialect.js'
import type { Expression } from '../shape/query-shape.js'
import { mapAll } from '../shape/rewrite-query.js'
import { concatAll } from './function-table.js'

const textFunctions: ReadonlySet<string> = new Set([
  'lower',
  'upper',
  'substring',
  'replace',
  'format_time',
  'trim',
])

/**
 * `a || (b || c)` from left to right. Beside a text, other values become texts whether a cast says so or not; in
 * Trino what is cast to a text cannot be an array or bytes.
 */
export function normalizeConcatenation(
  expression: Expression,
  dialect: Dialect,
  across: boolean,
): Expression {
  if (expression.kind !== 'apply' || expression.op !== '||' || expression.args.length !== 2) return expression
  const operands = operandsOf(expression)
  const isTrino = dialect === 'trino' || dialect === 'presto'
  const areCast = isTrino && operands.every((operand) => castText(operand) !== undefined)
  const areTexts = areCast || (across && operands.some(isText))
  return (
    concatAll(areTexts ? operands.map((operand) => castText(operand) ?? operand) : operands) ?? expression
  )
}

function operandsOf(expression: Expression): readonly Expression[] {
  const isJoin = expression.kind === 'apply' && expression.op === '||' && expression.args.length === 2
  return isJoin ? expression.args.flatMap(operandsOf) : [expression]
}

function isText(value: Expression): boolean {
  if (value.kind === 'literal') return value.type === 'text'
  if (value.kind === 'apply' && value.op === 'coalesce') return value.args.some(isText)
  return value.kind === 'apply' && textFunctions.has(value.op)
}

/** Returns the operand of a cast to text, also within COALESCE; undefined where there is none. */
function castText(value: Expression): Expression | undefined {
  if (value.kind !== 'apply') return undefined
  if (value.op === 'coalesce') {
    const parts = mapAll(value.args, (arg) => castText(arg) ?? arg)
    return parts === value.args ? undefined : { ...value, args: parts }
  }
  if (value.op !== 'cast') return undefined
  const [inner, type] = value.args
  return type?.kind === 'literal' && type.value === 'text' ? inner : undefined
}
