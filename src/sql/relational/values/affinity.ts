import type { Dialect } from '../../../enums/dialect.js'
import type { Expression } from '../../shape/query-shape.js'
import { describeValue } from '../nullability.js'
import { declaredType, type Facts } from '../table-facts.js'

export const comparisons: ReadonlySet<string> = new Set(['=', '<>', '<', '<='])

/** Dialects in which a text that spells an integer is one beside a column of numbers. */
const readsIntegers: ReadonlySet<Dialect> = new Set(['mysql', 'postgres', 'redshift', 'duckdb', 'snowflake'])

/**
 * SQLite compares a column with a literal as the column's type: `year = '2014'` and `year = 2014` are the same, in
 * a column of texts and in one of numbers; others read the text as a number only.
 */
export function applyAffinity(expression: Expression, facts: Facts): Expression {
  if (expression.kind !== 'apply' || !comparisons.has(expression.op)) return expression
  if (facts.dialect !== 'sqlite' && !readsIntegers.has(facts.dialect)) return expression
  const [a, b] = expression.args
  if (a === undefined || b === undefined) return expression
  const [left, right] = [converted(a, b, facts), converted(b, a, facts)]
  return left === a && right === b ? expression : { ...expression, args: [left, right] }
}

function converted(literal: Expression, column: Expression, facts: Facts): Expression {
  if (literal.kind !== 'literal') return literal
  const type = declaredType(column, facts)
  if (type === undefined) return literal
  const isText = /char|clob|text/u.test(type) && !/int/u.test(type)
  const isNumber = /int|real|floa|doub|decimal|numeric/u.test(type)
  if (facts.dialect === 'sqlite' && isText && literal.type === 'number' && /^-?\d+$/u.test(literal.value))
    return { ...literal, type: 'text' }
  if (!isText && isNumber && literal.type === 'text' && /^(?:0|-?[1-9]\d{0,14})$/u.test(literal.value))
    return { ...literal, type: 'number' }
  return literal
}

/**
 * In SQLite a comparison with a column converts as the column's type says; with what is computed of it, it does not.
 * Whether that is one to this other operand; may assume so.
 */
export function haveSameAffinity(column: Expression, other: Expression, facts: Facts): boolean {
  if (column.kind === 'apply' && column.op !== 'cast') return true
  if (column.kind === 'literal') return true
  const [a, b] = [column, other].map((value) => declaredType(value, facts))
  if (a !== undefined && b !== undefined) return a === b || (numeric.test(a) && numeric.test(b))
  const [left, right] = [describeValue(column, facts), describeValue(other, facts)]
  const isOne = column.kind === 'column' && other.kind === 'column' && left === right && left.includes('.')
  if (isOne) return true
  if (a !== undefined && other.kind === 'literal') return isAsDeclared(other, a)
  return facts.assumptions.assume('types', `${right} and ${left} are of one type`)
}

const numeric = /int|real|floa|doub/u

function isAsDeclared({ type: kind }: Expression & { kind: 'literal' }, type: string): boolean {
  if (kind === 'number') return numeric.test(type)
  return kind === 'null' || (kind === 'text' && /char|clob|text/u.test(type) && !/int/u.test(type))
}
