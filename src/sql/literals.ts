import type { Dialect } from '../enums/dialect.js'
import { AutotestError } from '../errors.js'

/** A value that a case or a question gives to a snippet's placeholder. */
export type LiteralValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'number'; readonly value: number }
  /** A day as YYYY-MM-DD. */
  | { readonly kind: 'date'; readonly text: string }

/** Dialects in whose strings a backslash starts an escape sequence; sources differ on Redshift, and escaping is safe. */
const backslashEscapes: ReadonlySet<Dialect> = new Set([
  'mysql',
  'bigquery',
  'spark',
  'snowflake',
  'redshift',
])

/** Dialects in which a doubled quote ends one string and begins the next. */
const quoteByBackslash: ReadonlySet<Dialect> = new Set(['bigquery', 'spark'])

/**
 * The value as a typed SQL literal of the dialect, so that no value can change the query around it.
 * Throws `AutotestError` for a NUL character, a number that is not finite and a day that does not exist.
 */
export function renderLiteral(value: LiteralValue, dialect: Dialect): string {
  switch (value.kind) {
    case 'text':
      return quoted(value.text, dialect)
    case 'number':
      return numeral(value.value)
    case 'date':
      return day(value.text, dialect)
  }
}

function quoted(text: string, dialect: Dialect): string {
  if (text.includes('\0')) {
    throw new AutotestError('kb_invalid', `The value ${JSON.stringify(text)} holds a NUL character`, {
      hint: 'No SQL string can hold a NUL character: remove it from the value.',
    })
  }
  if (!backslashEscapes.has(dialect)) return `'${text.replaceAll("'", "''")}'`
  const doubled = text.replaceAll('\\', '\\\\')
  // BigQuery ends a string at the end of the line.
  const escaped = dialect === 'bigquery' ? doubled.replaceAll('\n', '\\n').replaceAll('\r', '\\r') : doubled
  return `'${escaped.replaceAll("'", quoteByBackslash.has(dialect) ? "\\'" : "''")}'`
}

/** JavaScript writes large and small numbers with an exponent (1e+21), which every dialect reads. */
function numeral(value: number): string {
  if (!Number.isFinite(value)) {
    throw new AutotestError('kb_invalid', `${value} is not a number that SQL can hold`, {
      hint: 'Give a finite number.',
    })
  }
  return Object.is(value, -0) ? '0' : String(value)
}

function day(text: string, dialect: Dialect): string {
  const time = /^\d{4}-\d{2}-\d{2}$/u.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text) {
    throw new AutotestError('kb_invalid', `"${text}" is not a day`, { hint: 'Write days as YYYY-MM-DD.' })
  }
  return dialect === 'sqlite' ? `'${text}'` : `DATE '${text}'`
}
