import type { Dialect } from '../../enums/dialect.js'
import { apply, type Expression } from '../shape/query-shape.js'

/**
 * `x ILIKE p`, `lower(x) LIKE lower(p)` and, where LIKE ignores case, `x LIKE p` ask the same. In MySQL the collation of a
 * column says whether LIKE and REGEXP do: by default yes, and no more is known of a database in another dialect (`across`).
 * `upper(x) LIKE 'I%'` is another question but in SQLite: ı has I for its capital, and is no small I.
 */
export function normalizeLike(expression: Expression, dialect: Dialect, across: boolean): Expression {
  if (expression.kind !== 'apply' || expression.args.length !== 2) return expression
  const [value, pattern] = expression.args
  if (value === undefined || pattern === undefined) return expression
  if (expression.op === 'regexp_like' && dialect === 'mysql' && across)
    return hasNoLetters(pattern) ? expression : apply('regexp_i_like', value, pattern)
  const isLike = expression.op === 'like'
  if (!isLike && expression.op !== 'i_like') return expression
  const isCaseless = dialect === 'sqlite' || (dialect === 'mysql' && across)
  const bare = isCaseless ? withoutCase(value) : lowerArgument(value)
  if (isLike && !isCaseless && (bare === undefined || !isLowerCase(pattern))) return expression
  const isPlain =
    hasNoLetters(pattern) && (across || !lengthChangingLowercase.has(dialect) || countsNothing(pattern))
  return apply(isPlain ? 'like' : 'i_like', bare ?? value, lowerCasePattern(pattern))
}

/** Where a pattern has no letters, their case is no question. */
export function hasNoLetters(pattern: Expression): boolean {
  return (
    pattern.kind === 'literal' &&
    pattern.type === 'text' &&
    /^[\u0020-\u0040\u005b-\u0060\u007b-\u007e]*$/u.test(pattern.value)
  )
}

/** Dialects in which a letter such as İ may be two in lower case. */
const lengthChangingLowercase: ReadonlySet<Dialect> = new Set(['postgres', 'spark', 'bigquery', 'snowflake'])

/** Whether it does not ask how many letters there are. */
function countsNothing(pattern: Expression): boolean {
  return pattern.kind === 'literal' && !pattern.value.includes('_')
}

function lowerArgument(value: Expression): Expression | undefined {
  const inner = argumentOf('lower', value)
  return inner && (lowerArgument(inner) ?? inner)
}

function withoutCase(value: Expression): Expression {
  const inner = argumentOf('lower', value) ?? argumentOf('upper', value)
  return inner === undefined ? value : withoutCase(inner)
}

function isLowerCase(pattern: Expression): boolean {
  if (argumentOf('lower', pattern) !== undefined) return true
  return (
    pattern.kind === 'literal' && pattern.type === 'text' && pattern.value === pattern.value.toLowerCase()
  )
}

/** The pattern with its letters in lower case: their case does not matter. */
function lowerCasePattern(pattern: Expression): Expression {
  const inner = argumentOf('lower', pattern) ?? argumentOf('upper', pattern) ?? pattern
  const isPlain = inner.kind === 'literal' && inner.type === 'text' && /^[\u0020-\u007e]*$/u.test(inner.value)
  if (isPlain) return { ...inner, value: inner.value.toLowerCase() }
  return argumentOf('lower', pattern) ?? pattern
}

function argumentOf(name: string, call: Expression): Expression | undefined {
  return call.kind === 'apply' && call.op === name && call.args.length === 1 ? call.args[0] : undefined
}
