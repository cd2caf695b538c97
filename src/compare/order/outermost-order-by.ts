import type { SqlToken } from '../../sql/index.js'

/** Reports whether an ORDER BY is outside all brackets, or in brackets around the whole text. */
export function hasOutermostOrderBy(tokens: readonly SqlToken[]): boolean {
  const query = stripParentheses(tokens)
  return outermostWords(query).some(({ at }) => isOrderBy(query, at))
}

/**
 * Rewrites `VALUES … ORDER BY …` and `TABLE t ORDER BY …`, which no parser accepts, as a SELECT; undefined
 * for other texts.
 */
export function rewriteAsSelect(sql: string, tokens: readonly SqlToken[]): string | undefined {
  const words = outermostWords(tokens)
  const start = words.find(({ token }) => token.value === 'VALUES' || token.value === 'TABLE')?.token
  const isFirst = words[0]?.token === start || words[0]?.token.value === 'WITH'
  if (start === undefined || !isFirst || words.some(({ token }) => token.value === 'SELECT')) return undefined
  const before = sql.slice(0, start.start)
  if (start.value === 'TABLE') return `${before}SELECT * FROM ${sql.slice(start.end)}`
  const order = words.find(({ at }) => isOrderBy(tokens, at))?.token.start
  return order === undefined
    ? undefined
    : `${before}SELECT * FROM (${sql.slice(start.start, order)}) AS listed ${sql.slice(order)}`
}

/** Returns the parts between commas outside all brackets. */
export function splitByCommas(tokens: readonly SqlToken[]): readonly (readonly SqlToken[])[] {
  let depth = 0
  const parts: SqlToken[][] = [[]]
  for (const token of tokens) {
    depth += bracketDelta(token)
    if (depth === 0 && token.text === ',') parts.push([])
    else parts.at(-1)?.push(token)
  }
  return parts.filter((part) => part.length > 0)
}

/** Returns the change of nesting at a token. Brackets of lists and structs contain commas too. */
function bracketDelta(token: SqlToken): number {
  if (token.kind !== 'symbol') return 0
  if ('[{'.includes(token.text)) return 1
  return ']}'.includes(token.text) ? -1 : parenthesisDelta(token)
}

/** A word outside all brackets, and its index among the tokens. */
interface OuterWord {
  readonly token: SqlToken
  readonly at: number
}

export function outermostWords(tokens: readonly SqlToken[]): readonly OuterWord[] {
  let depth = 0
  return tokens.flatMap((token, at) => {
    depth += parenthesisDelta(token)
    return depth === 0 && token.kind === 'word' ? [{ token, at }] : []
  })
}

export function isOrderBy(tokens: readonly SqlToken[], at: number): boolean {
  return isWord(tokens[at], 'ORDER') && isWord(tokens[at + 1], 'BY')
}

function isWord(token: SqlToken | undefined, word: string): boolean {
  return token?.kind === 'word' && token.value === word
}

function parenthesisDelta({ kind, text }: SqlToken): number {
  if (kind !== 'symbol') return 0
  return text === '(' ? 1 : text === ')' ? -1 : 0
}

/** Removes semicolons at the end and brackets around the whole rest. */
function stripParentheses(tokens: readonly SqlToken[]): readonly SqlToken[] {
  if (tokens.at(-1)?.text === ';') return stripParentheses(tokens.slice(0, -1))
  const [first] = tokens
  if (first === undefined || parenthesisDelta(first) !== 1) return tokens
  let depth = 0
  const close = tokens.findIndex((token) => {
    depth += parenthesisDelta(token)
    return depth === 0
  })
  return close === tokens.length - 1 ? stripParentheses(tokens.slice(1, -1)) : tokens
}
