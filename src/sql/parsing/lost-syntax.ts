import type { Dialect } from '../../enums/dialect.js'
import { type Expression, field, type QueryShape, word } from '../shape/query-shape.js'
import type { SqlToken, TokenizeOutcome } from '../tokens.js'
import { isVolatileQuery } from '../volatile-functions.js'

/** Syntax that the library reads as if it meant something else. */
interface LostSyntax {
  readonly dialect: Dialect
  readonly name: string
  /** Whether the text may have it, so that its tokens are worth a look. */
  readonly pattern: RegExp
  isAt(tokens: readonly SqlToken[], at: number): boolean
}

const lostSyntaxRules: readonly LostSyntax[] = [
  // In MySQL length() counts bytes; the tree says length for both.
  {
    dialect: 'mysql',
    name: 'char_length',
    pattern: /\bchar(?:acter)?_length\b/iu,
    isAt: (tokens, at) => /^CHAR(?:ACTER)?_LENGTH$/u.test(tokens[at]?.value ?? ''),
  },
  // In SQLite x'41' is a blob and 0x41 an integer; the tree has one literal for both.
  {
    dialect: 'sqlite',
    name: 'hexadecimal integers',
    pattern: /\b0x[0-9a-f]/iu,
    isAt: (tokens, at) => /^0x/iu.test(tokens[at]?.text ?? ''),
  },
  // In Snowflake x:"a.b" has one key and x:a.b two; the tree has one path for both.
  {
    dialect: 'snowflake',
    name: 'quoted keys',
    pattern: /[:.]\s*"[^"]*[.[\]][^"]*"/u,
    isAt: (tokens, at) =>
      /^"[^"]*[.[\]][^"]*"$/u.test(tokens[at]?.text ?? '') && /^[:.]$/u.test(tokens[at - 1]?.text ?? ''),
  },
  // In SQLite +x is x without the type of the column; the tree has x.
  { dialect: 'sqlite', name: 'unary plus', pattern: /\+/u, isAt: isUnaryPlus },
]

/**
 * Returns the syntax that the tree of a text has lost, as clauses of the query: all tokens of the text, since its position
 * matters. A query with such syntax is equal only to one that is written in the same tokens.
 */
export function findLostSyntax(
  sql: string,
  dialect: Dialect,
  shape: QueryShape,
  tokenize: () => TokenizeOutcome,
): readonly Expression[] {
  const possible = lostSyntaxRules.filter(
    (spelling) => spelling.dialect === dialect && spelling.pattern.test(sql),
  )
  // Each reading of a CTE has its rows in the tree, which are the same rows each time.
  const isDrawnOnce = /\bwith\b/iu.test(sql) && isVolatileQuery(shape)
  if (possible.length === 0 && !isDrawnOnce) return []
  const outcome = tokenize()
  const tokens = outcome.kind === 'tokens' ? outcome.tokens : []
  const names = possible
    .filter(({ isAt }) => outcome.kind === 'failed' || tokens.some((_, at) => isAt(tokens, at)))
    .map(({ name }) => name)
  const text = outcome.kind === 'failed' ? sql : tokens.map(spelled).join(' ')
  return [...names, ...(isDrawnOnce ? ['random values in WITH'] : [])].map((name) => field(name, word(text)))
}

/** Words may be written in any letter case. */
function spelled(token: SqlToken): string {
  return token.kind === 'word' ? token.value : token.text
}

/** Words after which an operand begins. */
const beforeOperands: ReadonlySet<string> = new Set([
  ...['SELECT', 'DISTINCT', 'ALL', 'WHERE', 'AND', 'OR', 'NOT', 'BETWEEN', 'LIKE', 'GLOB', 'REGEXP', 'MATCH'],
  ...['IN', 'IS', 'ON', 'HAVING', 'BY', 'CASE', 'WHEN', 'THEN', 'ELSE', 'LIMIT', 'OFFSET', 'ESCAPE', 'FROM'],
])

/** A plus that has nothing to add to: before a number it says nothing. */
function isUnaryPlus(tokens: readonly SqlToken[], at: number): boolean {
  if (tokens[at]?.text !== '+' || tokens[at + 1]?.kind === 'number') return false
  const before = tokens[at - 1]
  if (before === undefined) return true
  if (before.kind === 'word') return beforeOperands.has(before.value)
  return before.kind === 'symbol' && before.text !== ')' && before.text !== ']'
}
