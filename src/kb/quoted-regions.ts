import type { Dialect } from '../enums/dialect.js'
import { scan } from '../sql-text/scan.js'

/** A region of SQL in which a placeholder would not be a literal. */
export interface QuotedRegion {
  readonly kind: 'string literal' | 'quoted name' | 'comment'
  readonly start: number
  readonly end: number
  /** Whether its end is written. */
  readonly isClosed: boolean
}

const kinds = { text: 'string literal', name: 'quoted name', comment: 'comment' } as const
const brackets: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/** Returns strings, quoted names and comments of an SQL text, in order. An unterminated one ends with the text. */
export function quotedRegions(sql: string, dialect: Dialect = 'ansi'): QuotedRegion[] {
  return scan(sql, dialect).flatMap(({ kind, ...place }) =>
    kind === 'code' ? [] : [{ kind: kinds[kind], ...place }],
  )
}

/** Returns why a text cannot be used as one expression in a snippet; undefined if it can. */
export function expressionProblem(sql: string): string | undefined {
  const regions = quotedRegions(sql)
  if (regions.some(({ kind }) => kind === 'comment')) return 'holds a comment'
  if (regions.some(({ isClosed }) => !isClosed)) return 'has an unbalanced quote'
  const bare = regions.reduceRight(
    (text, { start, end }) => `${text.slice(0, start)}x${text.slice(end)}`,
    sql,
  )
  if (bare.trim() === '') return 'is empty'
  if (bare.includes(';')) return 'holds a semicolon'
  if (bare.includes('{{')) return 'holds a placeholder'
  const open: string[] = []
  for (const character of bare) {
    if ('([{'.includes(character)) open.push(character)
    else if (character in brackets && open.pop() !== brackets[character]) return 'has an unbalanced bracket'
  }
  return open.length > 0 ? 'has an unbalanced bracket' : undefined
}
