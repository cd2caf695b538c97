import { afterComment, afterDollarQuote, afterLine, afterQuoted } from './ends.js'
import type { Syntax } from './syntax.js'

/** What a lexer reads as one, as far as it matters to where texts, names and comments begin. */
export interface Token {
  readonly kind: 'text' | 'name' | 'comment' | 'word' | 'symbol' | 'space'
  /** UTF-16 offsets, end exclusive. */
  readonly start: number
  readonly end: number
  /** Whether the end of a text, name or comment is written. */
  readonly isClosed: boolean
  /** A text in which a backslash takes the next character with it, though others of the dialect have none. */
  readonly isEscaped?: boolean
  /** A comment that some servers execute, and of which it cannot be said where it ends for them. */
  readonly isUnreadable?: boolean
}

/** What the tokens before decide. */
interface State {
  /** The word that ends here. */
  readonly prefix: string
  /** PostgreSQL reads the parts of one text alike that white space with a line break and line comments separate. */
  readonly escaped: 'no' | 'same line' | 'later line'
  /** Where a comment ends that the server executes. */
  readonly executedEnd: number | undefined
}

const asciiSpaces = /[\t\n\v\f\r ]+/y
const unicodeSpaces = /[\s\u200B-\u200F\uFEFF]+/y
const word = /[\w$\u0080-\uFFFF]+/y
/** Of a number only what cannot begin a word: `1E'…'`. */
const wordOrDigits = /\d+|[A-Za-z_\u0080-\uFFFF][\w$\u0080-\uFFFF]*/y
/** The same without white space beyond ASCII and what has no width. */
const visible = String.raw`(?![\s\u200B-\u200F\uFEFF])[\u0080-\uFFFF]`
const visibleWordOrDigits = new RegExp(String.raw`\d+|(?:[A-Za-z_]|${visible})(?:[\w$]|${visible})*`, 'y')
/** SQLite reads what is between the parentheses of a variable as part of its name, quotes too (tokenize.c). */
const variable = /[$@#:](?:::)*[\w$\u0080-\uFFFF]+(?:::|[\w$\u0080-\uFFFF])*(?:\([^\t\n\v\f\r )]*\)?)?/y

/** Yields the tokens of an SQL text, without a gap. */
export function* tokensOf(sql: string, syntax: Syntax): Generator<Token> {
  let state: State = { prefix: '', escaped: 'no', executedEnd: undefined }
  for (let at = 0; at < sql.length; ) {
    const token = tokenAt(sql, at, syntax, state)
    yield token
    at = token.end
    state = stateAfter(sql, token, state, syntax)
  }
}

function tokenAt(sql: string, start: number, syntax: Syntax, state: State): Token {
  const space = matchEnd(syntax.unicodeSpaces ? unicodeSpaces : asciiSpaces, sql, start)
  if (space !== undefined) return { kind: 'space', start, end: space, isClosed: true }
  if (start === state.executedEnd) return { kind: 'comment', start, end: start + 2, isClosed: true }
  const executed = executedComment(sql, start, syntax)
  if (executed?.isReadable === true)
    return { kind: 'comment', start, end: executed.contentStart, isClosed: true }
  const comment = commentAt(sql, start, syntax)
  if (comment !== undefined)
    return { kind: 'comment', start, ...comment, isUnreadable: executed !== undefined }
  const quoted = quotedAt(sql, start, syntax, state)
  if (quoted !== undefined) return { start, ...quoted }
  const end = wordEnd(sql, start, syntax)
  return end === undefined
    ? { kind: 'symbol', start, end: start + 1, isClosed: true }
    : { kind: 'word', start, end, isClosed: true }
}

function stateAfter(sql: string, token: Token, state: State, syntax: Syntax): State {
  const { kind, start, end, isEscaped } = token
  const isExecuted = kind === 'comment' && end < sql.length ? executedComment(sql, start, syntax) : undefined
  return {
    prefix: kind === 'word' ? sql.slice(start, end) : '',
    escaped: isEscaped === true ? 'same line' : escapedAfter(sql, token, state.escaped),
    executedEnd: isExecuted?.isReadable === true ? isExecuted.closing : state.executedEnd,
  }
}

function escapedAfter(sql: string, { kind, start, end }: Token, before: State['escaped']): State['escaped'] {
  if (before === 'no') return 'no'
  if (kind === 'comment') return sql.startsWith('--', start) ? before : 'no'
  if (kind !== 'space') return 'no'
  return /[\n\r]/.test(sql.slice(start, end)) ? 'later line' : before
}

function wordEnd(sql: string, at: number, syntax: Syntax): number | undefined {
  if (syntax.variablesWithParentheses) return matchEnd(variable, sql, at) ?? matchEnd(word, sql, at)
  if (!syntax.escapeTexts) return matchEnd(word, sql, at)
  return matchEnd(syntax.unicodeSpaces ? visibleWordOrDigits : wordOrDigits, sql, at)
}

function matchEnd(pattern: RegExp, sql: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(sql) ? pattern.lastIndex : undefined
}

function commentAt(sql: string, at: number, syntax: Syntax) {
  if (sql.startsWith('/*', at)) return afterComment(sql, at, syntax.nestedComments)
  const mark = syntax.lineComments.find((each) => sql.startsWith(each, at))
  if (mark === undefined) return undefined
  const isOperator = mark === '--' && syntax.dashesNeedSpace && /[^\0-\x20\x7F]/.test(sql.charAt(at + 2))
  return isOperator ? undefined : { end: afterLine(sql, at, syntax.returnsEndLines), isClosed: true }
}

function quotedAt(sql: string, at: number, syntax: Syntax, { prefix, escaped }: State) {
  const character = sql.charAt(at)
  if (character === '$') {
    const found = afterDollarQuote(sql, at, syntax.dollarQuotes)
    return found === undefined ? undefined : { kind: 'text' as const, ...found }
  }
  const quoting = Object.hasOwn(syntax.quotes, character) ? syntax.quotes[character] : undefined
  if (quoting === undefined) return undefined
  const { kind } = quoting
  const isText = kind === 'text'
  const isEscaped = isText && syntax.escapeTexts && (/^e$/i.test(prefix) || escaped === 'later line')
  const isRaw = isText && syntax.rawTexts && /^r$/i.test(prefix)
  const triple = character.repeat(3)
  const closing = isText && syntax.tripleQuotes && sql.startsWith(triple, at) ? triple : quoting.closing
  const found = afterQuoted(sql, at + closing.length, {
    closing,
    doubles: quoting.doubles && closing.length === 1 && !isRaw,
    backslashes: (quoting.backslashes || isEscaped) && !isRaw,
  })
  return { kind, ...found, isEscaped }
}

/**
 * Returns what a comment is that the server may execute. Which versions do is for the server to say, so it is readable only if
 * both readings of it end in the same place.
 */
function executedComment(sql: string, at: number, { executedComments }: Syntax) {
  if (!executedComments) return undefined
  const opening = /\/\*M?!\d*/y
  opening.lastIndex = at
  if (!opening.test(sql)) return undefined
  const contentStart = opening.lastIndex
  const closing = sql.indexOf('*/', contentStart)
  const isReadable = closing >= 0 && !/['"`#]|--|\/\*/.test(sql.slice(contentStart, closing))
  return { contentStart, closing, isReadable }
}
