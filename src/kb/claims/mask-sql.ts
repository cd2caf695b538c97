import { blank } from '../../sql-text/scan.js'
import { literalPattern } from '../../text/literal-pattern.js'
import { findPlaceholders } from '../render-snippet.js'

/**
 * Returns the query with strings, comments and placeholders replaced by blanks, so that offsets stay valid.
 */
export function maskStringsAndComments(sql: string): string {
  return findPlaceholders(sql).reduce(
    (text, { start, end }) =>
      `${text.slice(0, start)}${text.slice(start, end).replaceAll(/[^\n]/g, ' ')}${text.slice(end)}`,
    blank(sql, 'ansi'),
  )
}

/** Returns the query with comments replaced by blanks, but with its strings; offsets stay valid. */
export function maskComments(sql: string): string {
  return blank(sql, 'ansi', ['comment'])
}

/**
 * Returns the offset at which a query uses a name; -1 if it does not. A name that the query itself declares
 * (`AS orders`) does not count. A qualified name also matches by its last part where a table is expected; a
 * bare one matches after any qualifier.
 */
export function findUsage(name: string, bare: string): number {
  const whole = `(?<![\\w.])${literalPattern(name)}`
  const last = literalPattern(name.split('.').at(-1) ?? name)
  const either = name.includes('.') ? `(?:${whole}|(?<=\\b(?:from|join)\\s+)${last})` : `(?<!\\w)${last}`
  return bare.search(new RegExp(`(?<!\\bas\\s+)${either}(?![\\w.]|\\s*\\()`, 'i'))
}

/** Reports whether the query aggregates a column. */
export function isAggregated(
  column: string,
  bare: string,
  functions = 'count|sum|avg|min|max|median',
): boolean {
  const argument = `(?:distinct\\s+)?(?:\\w+\\.)?${literalPattern(column)}`
  return new RegExp(`\\b(?:${functions})\\s*\\(\\s*${argument}\\s*\\)`, 'i').test(bare)
}
