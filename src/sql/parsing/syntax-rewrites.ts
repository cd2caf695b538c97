import type { Dialect } from '../../enums/dialect.js'
import { changedText, type TextChange } from '../../text/text-changes.js'
import type { SqlToken } from '../tokens.js'

/** Whether a text may have literals like `DECIMAL '1.20'`, so that its tokens are worth a look. */
export function mayHaveDecimalLiterals(sql: string): boolean {
  return /\b(?:decimal|numeric)\s*'/iu.test(sql)
}

/** Dialects in which a number with a point is a decimal of the places that it is written with. */
const exactNumbers: ReadonlySet<Dialect> = new Set(['trino', 'postgres', 'duckdb', 'snowflake'])

/**
 * The text with decimals as numbers. The library takes `DECIMAL '1.20'` for a cast to a decimal without places, which
 * would be 1 in Trino; it is 1.20.
 */
export function rewriteDecimalLiterals(sql: string, tokens: readonly SqlToken[], dialect: Dialect): string {
  const written = tokens.flatMap((token, at): readonly TextChange[] => {
    const next = tokens[at + 1]
    const isType = token.kind === 'word' && /^(?:DECIMAL|NUMERIC)$/u.test(token.value)
    const digits = /^'(-?)(\d*)(?:\.(\d*))?'$/u.exec(next?.text ?? '')
    // In Redshift a decimal without places is whole.
    if (!isType || next === undefined || digits === null || dialect === 'redshift') return []
    const [, minus = '', whole = '', places = ''] = digits
    const number = `${minus}${whole === '' ? '0' : whole}${places === '' ? '' : `.${places}`}`
    const size = Math.max(whole.length + places.length, 1)
    const type = dialect === 'duckdb' ? 'DECIMAL(18, 3)' : `DECIMAL(${size}, ${places.length})`
    const isExact = exactNumbers.has(dialect) && (dialect !== 'duckdb' || places.length <= 3)
    const text = isExact ? number : `CAST(${number} AS ${type})`
    return [{ start: token.start, end: next.end, text: minus === '' ? text : `(${text})` }]
  })
  return changedText(sql, written)
}

/** DuckDB's `a // b`, which the library does not read, as the `a DIV b` that it does. */
export function rewriteIntegerDivision(sql: string, tokens: readonly SqlToken[]): string {
  const isDivision = (token: SqlToken, at: number): boolean =>
    token.text === '/' && tokens[at + 1]?.text === '/' && tokens[at + 1]?.start === token.end
  const written = tokens.filter(isDivision).map(({ start }) => ({ start, end: start + 2, text: ' DIV ' }))
  return changedText(sql, written)
}
