import { literalPattern } from '../../text/literal-pattern.js'
import { quotedRegions } from '../quoted-regions.js'
import { findPlaceholders } from '../render.js'

/** The query without strings, comments and placeholders: blanks stand for them, so that offsets stay. */
export function maskStringsAndComments(sql: string): string {
  const cut = [...quotedRegions(sql).filter(({ kind }) => kind !== 'quoted name'), ...findPlaceholders(sql)]
  return cut.reduce(
    (text, { start, end }) =>
      `${text.slice(0, start)}${text.slice(start, end).replaceAll(/[^\n]/g, ' ')}${text.slice(end)}`,
    sql,
  )
}

/** The query without comments, and with its strings; offsets stay. */
export function maskComments(sql: string): string {
  return quotedRegions(sql)
    .filter(({ kind }) => kind === 'comment')
    .reduce(
      (text, { start, end }) =>
        `${text.slice(0, start)}${text.slice(start, end).replaceAll(/[^\n]/g, ' ')}${text.slice(end)}`,
      sql,
    )
}

/**
 * Where a query uses a name, from 0; -1 where it does not. What the query itself names so (`AS orders`) is no use. Of a
 * qualified name the last part is one where a table stands; a bare one may stand behind any qualifier.
 */
export function findUsage(name: string, bare: string): number {
  const whole = `(?<![\\w.])${literalPattern(name)}`
  const last = literalPattern(name.split('.').at(-1) ?? name)
  const either = name.includes('.') ? `(?:${whole}|(?<=\\b(?:from|join)\\s+)${last})` : `(?<!\\w)${last}`
  return bare.search(new RegExp(`(?<!\\bas\\s+)${either}(?![\\w.]|\\s*\\()`, 'i'))
}

/** Whether an aggregate of the query is taken of a column. */
export function isAggregated(
  column: string,
  bare: string,
  functions = 'count|sum|avg|min|max|median',
): boolean {
  const argument = `(?:distinct\\s+)?(?:\\w+\\.)?${literalPattern(column)}`
  return new RegExp(`\\b(?:${functions})\\s*\\(\\s*${argument}\\s*\\)`, 'i').test(bare)
}
