import type { Dialect } from '../enums/dialect.js'
import { readings } from './scan.js'
import { type Syntax, syntaxFor } from './syntax.js'
import { type Token, tokensOf } from './tokens.js'

/** A name that is called: one that stands before an opening parenthesis. */
export interface Call {
  /** As the engine looks it up: in lower case, or as it is quoted where that counts. */
  readonly name: string
  /** What stands before it with a dot: a schema, a catalogue and a schema, or an alias. */
  readonly qualifiers: readonly string[]
  /** The texts that are its arguments, without quotes; undefined if one is no text, or is written with escapes. */
  readonly texts: readonly string[] | undefined
  /** The name before the parenthesis that stands directly before it: `table` in `TABLE(system.query(…))`. */
  readonly argumentOf: string | undefined
}

/**
 * Returns the names that are called in the code of an SQL text, in order, with or without quotes and qualifiers. Keywords
 * before a parenthesis are among them (`IN (…)`): a list of functions decides what they are.
 */
export function callsIn(sql: string, dialect: Dialect | Syntax): Call[] {
  const syntax = syntaxFor(dialect)
  return readings(sql, syntax).flatMap((each) => callsOf(each, syntax))
}

function callsOf(sql: string, syntax: Syntax): Call[] {
  const tokens = significantTokens(sql, syntax)
  return tokens.flatMap((token, at): readonly Call[] => {
    if (!isNamed(token, syntax) || !isSymbol(sql, tokens[at + 1], '(')) return []
    const qualifiers: string[] = []
    let before = at - 1
    for (; isSymbol(sql, tokens[before], '.') && isNamed(tokens[before - 1], syntax); before -= 2)
      qualifiers.unshift(nameOf(sql, tokens[before - 1], syntax))
    const outer = tokens[before - 1]
    const isArgument = isSymbol(sql, tokens[before], '(') && isNamed(outer, syntax)
    return [
      {
        name: nameOf(sql, token, syntax),
        qualifiers,
        texts: textArguments(sql, tokens, at + 2, syntax),
        argumentOf: isArgument ? nameOf(sql, outer, syntax) : undefined,
      },
    ]
  })
}

/**
 * Returns every name of the code, as the engine looks it up: words, quoted names, and texts that may stand for one. `follows`
 * limits them to those after a dot.
 */
export function namesIn(sql: string, dialect: Dialect | Syntax, follows?: 'dot'): string[] {
  const syntax = syntaxFor(dialect)
  const tokens = significantTokens(sql, syntax)
  return tokens
    .filter(
      (token, at) => isNamed(token, syntax) && (follows === undefined || isSymbol(sql, tokens[at - 1], '.')),
    )
    .map((token) => nameOf(sql, token, syntax))
}

/** Returns why the names of a text cannot be read, or undefined. */
export function unreadableNames(sql: string, dialect: Dialect | Syntax): string | undefined {
  const syntax = syntaxFor(dialect)
  const tokens = [...tokensOf(sql, syntax)]
  const versions = new Set(syntax.executedComments ? sql.match(/\/\*M?!\d+/g) : [])
  if (versions.size > 1 || tokens.some(({ isUnreadable }) => isUnreadable === true))
    return 'comments that only some servers execute cannot be judged'
  const isUnicode = tokens.some(
    ({ kind, start }) => kind === 'name' && /u&$/i.test(sql.slice(Math.max(0, start - 2), start)),
  )
  return syntax.unicodeNames && isUnicode ? 'names with Unicode escapes cannot be judged' : undefined
}

function significantTokens(sql: string, syntax: Syntax): Token[] {
  return [...tokensOf(sql, syntax)].filter(({ kind }) => kind !== 'space' && kind !== 'comment')
}

function isSymbol(sql: string, token: Token | undefined, symbol: string): boolean {
  return token?.kind === 'symbol' && sql[token.start] === symbol
}

function isNamed(token: Token | undefined, { textsAsNames }: Syntax): token is Token {
  return token?.kind === 'word' || token?.kind === 'name' || (token?.kind === 'text' && textsAsNames)
}

function nameOf(sql: string, token: Token | undefined, syntax: Syntax): string {
  if (token === undefined) return ''
  const { exactQuotedNames } = syntax
  if (token.kind !== 'word') {
    const name = contentOf(sql, token, syntax)
    return exactQuotedNames ? name : name.toLowerCase()
  }
  // White space beyond ASCII is a letter for some engines, and others pass over it.
  const name = sql
    .slice(token.start, token.end)
    .replaceAll(/^[\s\u200B-\u200F\uFEFF]+|[\s\u200B-\u200F\uFEFF]+$/g, '')
  // PostgreSQL folds letters of ASCII alone.
  return exactQuotedNames
    ? name.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
    : name.toLowerCase()
}

/** @param from index of the token after the opening parenthesis */
function textArguments(
  sql: string,
  tokens: readonly Token[],
  from: number,
  syntax: Syntax,
): readonly string[] | undefined {
  const texts: string[] = []
  for (let at = from; ; at += 2) {
    const text = plainText(sql, tokens[at], syntax)
    if (text === undefined) return undefined
    texts.push(text)
    if (isSymbol(sql, tokens[at + 1], ')')) return texts
    if (!isSymbol(sql, tokens[at + 1], ',')) return undefined
  }
}

function plainText(sql: string, token: Token | undefined, syntax: Syntax): string | undefined {
  if (token?.kind !== 'text' || token.isEscaped === true) return undefined
  const content = contentOf(sql, token, syntax)
  return syntax.quotes["'"]?.backslashes === true && content.includes('\\') ? undefined : content
}

/** Returns what is between the quotes. */
function contentOf(sql: string, { start, end, isClosed }: Token, syntax: Syntax): string {
  const written = sql.slice(start, end)
  const dollar = /^\$[^$]*\$/.exec(written)?.[0]
  const closing = dollar ?? syntax.quotes[written.charAt(0)]?.closing ?? written.charAt(0)
  const inside = written.slice(dollar?.length ?? 1, isClosed ? -closing.length : undefined)
  return dollar === undefined ? inside.replaceAll(closing + closing, closing) : inside
}
