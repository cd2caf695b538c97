import type { Dialect } from '../enums/dialect.js'

/** One token of a query or of a snippet; comments and white space are none. */
export interface SqlToken {
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'symbol' | 'placeholder'
  /** Slice of the source. */
  readonly text: string
  /** Content of a string, name without quotes, upper-cased word, name of a placeholder; else the text. */
  readonly value: string
  /** UTF-16 offsets into the source, end exclusive. */
  readonly start: number
  readonly end: number
}

export type TokenizeOutcome =
  | { readonly kind: 'tokens'; readonly tokens: readonly SqlToken[] }
  | { readonly kind: 'failed'; readonly message: string }

/** A token as the parser library reports it: offsets in code points, the content of strings unescaped. */
export interface RawToken {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** Dialects in which a double quote starts a string. */
const doubleQuotedStrings: ReadonlySet<Dialect> = new Set(['mysql', 'bigquery', 'spark'])

/** Gives tokens their kind and UTF-16 offsets, and makes one token of each `{{ name }}`. */
export function readTokens(sql: string, raw: readonly RawToken[], dialect: Dialect): SqlToken[] {
  const offset = utf16Offsets(sql)
  const tokens = raw.map(({ text, start, end }) => classify(sql, text, offset(start), offset(end), dialect))
  return joinPlaceholders(sql, tokens)
}

function classify(sql: string, content: string, start: number, end: number, dialect: Dialect): SqlToken {
  const text = sql.slice(start, end)
  const place = { text, start, end }
  if (/^(?:'|[\p{L}&]{1,2}'|\$[\s\S]*\$$)/u.test(text)) {
    return { kind: 'string', value: /^e'/iu.test(text) ? content.replace(/^e:/iu, '') : content, ...place }
  }
  if (text.startsWith('"') || /^[rb]{1,2}"/iu.test(text)) {
    return { kind: doubleQuotedStrings.has(dialect) ? 'string' : 'quoted', value: content, ...place }
  }
  if (text.startsWith('`') || (text.startsWith('[') && text.length > 1)) {
    return { kind: 'quoted', value: content, ...place }
  }
  if (/^\.?\d/u.test(text)) return { kind: 'number', value: text, ...place }
  if (/^[\p{L}_]/u.test(text)) return { kind: 'word', value: text.toUpperCase(), ...place }
  return { kind: 'symbol', value: text, ...place }
}

/** Placeholders arrive as `{`, `{`, words and dots, `}`, `}`; strings are tokens already, so none is found in them. */
function joinPlaceholders(sql: string, tokens: readonly SqlToken[]): SqlToken[] {
  const joined: SqlToken[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]
    if (token === undefined) break
    const last = placeholderEnd(tokens, at)
    const close = last === undefined ? undefined : tokens[last]
    if (last === undefined || close === undefined) {
      joined.push(token)
      continue
    }
    const text = sql.slice(token.start, close.end)
    const value = tokens
      .slice(at + 2, last - 1)
      .map((inner) => inner.text)
      .join('')
    joined.push({ kind: 'placeholder', text, value, start: token.start, end: close.end })
    at = last
  }
  return joined
}

/** Index of the last token of the placeholder that starts at `at`, if one does. */
function placeholderEnd(tokens: readonly SqlToken[], at: number): number | undefined {
  if (!isPair(tokens, at, '{')) return undefined
  let next = at + 2
  if (tokens[next]?.kind !== 'word') return undefined
  while (tokens[next + 1]?.text === '.' && tokens[next + 2]?.kind === 'word') next += 2
  return isPair(tokens, next + 1, '}') ? next + 2 : undefined
}

function isPair(tokens: readonly SqlToken[], at: number, brace: string): boolean {
  const [first, second] = [tokens[at], tokens[at + 1]]
  return first?.text === brace && second?.text === brace && first.end === second.start
}

/** The parser counts code points; texts beyond the basic plane need a map to UTF-16 offsets. */
function utf16Offsets(sql: string): (codePoints: number) => number {
  if (!/[\u{10000}-\u{10ffff}]/u.test(sql)) return (codePoints) => codePoints
  const offsets = [0]
  let offset = 0
  for (const character of sql) {
    offset += character.length
    offsets.push(offset)
  }
  return (codePoints) => offsets[codePoints] ?? sql.length
}
