import type { Dialect } from '../enums/dialect.js'
import { type Syntax, syntaxFor } from './syntax.js'
import { type Token, tokensOf } from './tokens.js'

/** A part of an SQL text, in the eyes of its engine. */
export interface Piece {
  readonly kind: 'text' | 'name' | 'comment' | 'code'
  /** UTF-16 offsets into the SQL, end exclusive. */
  readonly start: number
  readonly end: number
  /** Whether its end is written: a text, name or comment may run to the end of the SQL. */
  readonly isClosed: boolean
}

/**
 * Divides an SQL text into texts, quoted names, comments and code, without a gap, as the lexer of its engine does. It is no
 * parser: any text has its pieces. A prefix (`E'…'`) is code.
 */
export function scan(sql: string, dialect: Dialect | Syntax): Piece[] {
  const pieces: Piece[] = []
  for (const { kind, start, end, isClosed } of tokensOf(sql, syntaxFor(dialect))) {
    if (kind === 'text' || kind === 'name' || kind === 'comment') {
      pieces.push({ kind, start, end, isClosed })
      continue
    }
    const last = pieces.at(-1)
    if (last?.kind === 'code') pieces[pieces.length - 1] = { ...last, end }
    else pieces.push({ kind: 'code', start, end, isClosed: true })
  }
  return pieces
}

/**
 * Returns the texts that servers may read in one: a comment that only some versions execute (`/*!50000`) is code for these, and
 * is not there for others.
 */
export function readings(sql: string, dialect: Dialect | Syntax): readonly string[] {
  const syntax = syntaxFor(dialect)
  if (!syntax.executedComments || !/\/\*M?!/.test(sql)) return [sql]
  let without = ''
  let isExecuted = false
  for (const { kind, start, end } of tokensOf(sql, syntax)) {
    const text = sql.slice(start, end)
    if (kind === 'comment' && /^\/\*M?!\d*$/.test(text)) isExecuted = true
    else if (kind === 'comment' && text === '*/') isExecuted = false
    else without += isExecuted ? text.replaceAll(/[^\n]/g, ' ') : text
  }
  return [sql, without]
}

/** Returns how many statements a text holds: those that are empty, or comments alone, are none. */
export function statements(sql: string, dialect: Dialect | Syntax): number {
  let count = 0
  let isEmpty = true
  for (const token of tokensOf(sql, syntaxFor(dialect))) {
    if (isSemicolon(sql, token)) isEmpty = true
    else if (isEmpty && token.kind !== 'space' && token.kind !== 'comment') {
      isEmpty = false
      count++
    }
  }
  return count
}

/** Returns the text before the semicolons at its end, and what follows them; unchanged if it has none there. */
export function withoutTerminator(sql: string, dialect: Dialect | Syntax): string {
  let end: number | undefined
  for (const token of tokensOf(sql, syntaxFor(dialect))) {
    if (isSemicolon(sql, token)) end ??= token.start
    else if (token.kind !== 'space' && token.kind !== 'comment') end = undefined
  }
  return sql.slice(0, end)
}

/**
 * Returns the text with blanks in place of the given kinds of pieces, at the same length and on the same lines, so that
 * offsets stay valid.
 */
export function blank(
  sql: string,
  dialect: Dialect | Syntax,
  kinds: readonly Piece['kind'][] = ['comment', 'text'],
): string {
  return scan(sql, dialect)
    .map(({ kind, start, end }) => {
      const part = sql.slice(start, end)
      return kinds.includes(kind) ? part.replaceAll(/[^\n]/g, ' ') : part
    })
    .join('')
}

/**
 * Returns the first word in upper case, or the first character, after white space, comments and opening parentheses; empty if
 * there is none.
 */
export function firstKeyword(sql: string, dialect: Dialect | Syntax): string {
  // An engine that does not take such white space says so itself.
  const from = sql.search(/[^\s\uFEFF]/)
  for (const { kind, start, end } of tokensOf(from < 0 ? '' : sql.slice(from), syntaxFor(dialect))) {
    const text = sql.slice(from + start, from + end)
    if (kind === 'word') return text.toUpperCase()
    if (kind !== 'space' && kind !== 'comment' && text !== '(') return text.charAt(0)
  }
  return ''
}

function isSemicolon(sql: string, { kind, start }: Token): boolean {
  return kind === 'symbol' && sql[start] === ';'
}
