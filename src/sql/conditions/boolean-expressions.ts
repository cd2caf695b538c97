import { apply, type Expression } from '../shape/query-shape.js'

/** A literal that is a value: neither NULL nor a word such as `*`. */
export function isNonNullLiteral(value: Expression | undefined): boolean {
  return value?.kind === 'literal' && value.type !== 'null' && value.type !== 'word'
}

/** Where only rows count for which a condition is true (WHERE, ON, HAVING), unknown is as good as false. */

export const trueLiteral: Expression = { kind: 'literal', type: 'boolean', value: 'true' }
export const falseLiteral: Expression = { kind: 'literal', type: 'boolean', value: 'false' }

export function isTrue(value: Expression | undefined): boolean {
  return value?.kind === 'literal' && value.type === 'boolean' && value.value === 'true'
}

export function isFalse(value: Expression | undefined): boolean {
  return value?.kind === 'literal' && value.type === 'boolean' && value.value === 'false'
}

export function isNull(value: Expression | undefined): boolean {
  return value?.kind === 'apply' && value.op === 'null' && value.args.length === 0
}

/** Operators whose value is true, false or unknown. */
const predicates: ReadonlySet<string> = new Set([
  ...['=', '<>', '<', '<=', 'and', 'or', 'not', 'in', 'like', 'i_like'],
  ...['is_null', 'exists', 'is_true', 'is_false', 'is_not_distinct', 'null_safe_eq'],
])

export function isPredicate(value: Expression): boolean {
  return (value.kind === 'apply' && predicates.has(value.op)) || isTrue(value) || isFalse(value)
}

/** Predicates that are never unknown. */
const neverUnknownOperators: ReadonlySet<string> = new Set([
  'is_null',
  'exists',
  'is_true',
  'is_false',
  'is_not_distinct',
  'null_safe_eq',
])

/** Whether the condition is true or false in every row, never unknown. */
function isNeverUnknown(condition: Expression): boolean {
  if (isTrue(condition) || isFalse(condition)) return true
  if (condition.kind !== 'apply') return false
  if (neverUnknownOperators.has(condition.op)) return true
  return (
    (condition.op === 'and' || condition.op === 'or' || condition.op === 'not') &&
    condition.args.every(isNeverUnknown)
  )
}

/** True where the condition is true, else false. */
export function toIsTrue(condition: Expression): Expression {
  return isNeverUnknown(condition) ? condition : apply('is_true', condition)
}

/** True where the condition is false or unknown. */
export function toIsNotTrue(condition: Expression): Expression {
  return apply('not', toIsTrue(condition))
}
