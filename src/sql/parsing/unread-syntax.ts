import type { Dialect } from '../../enums/dialect.js'
import { changedText, inserted, type TextChange } from '../../text/text-changes.js'
import type { SqlToken } from '../tokens.js'

type Rewrite = (tokens: readonly SqlToken[], at: number, dialect: Dialect) => readonly TextChange[]

/**
 * A text that the library does not read in spellings that it does, with the same meaning; unchanged where there is none of
 * them. Only for texts that it has refused.
 */
export function respellUnreadSyntax(sql: string, tokens: readonly SqlToken[], dialect: Dialect): string {
  const changes = tokens.flatMap((_, at) => rewrites.flatMap((rewrite) => rewrite(tokens, at, dialect)))
  return changedText(sql, changes)
}

/** Words that the library takes for the start of a clause, and databases for a name where only a name can stand. */
const aliasWords: ReadonlySet<string> = new Set(['TABLE', 'TOP', 'APPLY'])

/** Words before which no table ends. */
const notNames: ReadonlySet<string> = new Set([
  ...[
    'CROSS',
    'OUTER',
    'SELECT',
    'DISTINCT',
    'ALL',
    'CREATE',
    'DROP',
    'ALTER',
    'FROM',
    'JOIN',
    'WITH',
    'ORDINALITY',
  ],
])

/** `FROM a table JOIN b ON table.x = b.x`: the alias in quotes. */
function quoteAliases(tokens: readonly SqlToken[], at: number, dialect: Dialect): readonly TextChange[] {
  const [before, token, next] = [tokens[at - 1], tokens[at], tokens[at + 1]]
  if (token?.kind !== 'word' || !aliasWords.has(token.value)) return []
  const isQualifier = next?.text === '.' && before?.text !== '.'
  const follows =
    before?.text === ')' ||
    before?.kind === 'quoted' ||
    (before?.kind === 'word' && !notNames.has(before.value))
  if (!isQualifier && (!follows || next?.text === '(')) return []
  const name = dialect === 'snowflake' ? token.value : token.text
  return [{ start: token.start, end: token.end, text: quoted(name, dialect) }]
}

function quoted(name: string, dialect: Dialect): string {
  const mark = dialect === 'bigquery' || dialect === 'mysql' || dialect === 'spark' ? '`' : '"'
  return `${mark}${name}${mark}`
}

/** Snowflake's `a[0]:b.c` and `a::variant:b.c`, a path from something other than a name, as calls. */
function callPaths(tokens: readonly SqlToken[], at: number, dialect: Dialect): readonly TextChange[] {
  const token = tokens[at]
  if (dialect !== 'snowflake' || token?.text !== ':') return []
  const before = tokens[at - 1]
  const isType = before?.kind === 'word' && tokens[at - 2]?.text === '::'
  if (before === undefined || (before.text !== ']' && before.text !== ')' && !isType)) return []
  const start = startOfOperand(tokens, at - 1)
  const end = endOfPath(tokens, at + 1)
  if (start === undefined || end === undefined) return []
  const path = tokens
    .slice(at + 1, end + 1)
    .map(({ text }) => text)
    .join('')
  return [
    inserted(start, 'GET_PATH('),
    { start: token.start, end: tokens[end]?.end ?? token.end, text: `, '${path.replaceAll("'", "''")}')` },
  ]
}

/** Where the operand begins whose last token this is: names, brackets and casts. */
function startOfOperand(tokens: readonly SqlToken[], last: number): number | undefined {
  let at = last
  for (;;) {
    const token = tokens[at]
    if (token === undefined) return undefined
    if (token.text === ']' || token.text === ')') {
      const open = openingBracket(tokens, at)
      if (open === undefined) return undefined
      const before = tokens[open - 1]
      const isPart =
        before?.kind === 'word' || before?.kind === 'quoted' || /^[\])]$/u.test(before?.text ?? '')
      // A word that the bracket does not touch is SELECT or the like.
      if (!isPart || before?.end !== tokens[open]?.start)
        return token.text === ')' ? tokens[open]?.start : undefined
      at = open - 1
      continue
    }
    if (token.kind !== 'word' && token.kind !== 'quoted') return undefined
    const separator = tokens[at - 1]?.text
    if (separator !== '.' && separator !== '::' && separator !== ':') return token.start
    at -= 2
  }
}

function openingBracket(tokens: readonly SqlToken[], last: number): number | undefined {
  let depth = 0
  for (let at = last; at >= 0; at--) {
    const text = tokens[at]?.text ?? ''
    if (/^[\])]$/u.test(text)) depth++
    if (/^[[(]$/u.test(text) && --depth === 0) return at
  }
  return undefined
}

/** The last token of `b.c[0]."d"`. */
function endOfPath(tokens: readonly SqlToken[], first: number): number | undefined {
  const isName = (at: number): boolean => tokens[at]?.kind === 'word' || tokens[at]?.kind === 'quoted'
  if (!isName(first)) return undefined
  let at = first
  for (;;) {
    if (tokens[at + 1]?.text === '.' && isName(at + 2)) at += 2
    else if (tokens[at + 1]?.text === '[' && tokens[at + 3]?.text === ']') at += 3
    else return at
  }
}

/** `a IS NULL::BOOLEAN`: what is true or false is cast to nothing else. */
function dropBooleanCasts(tokens: readonly SqlToken[], at: number): readonly TextChange[] {
  const [before, token, type] = [tokens[at - 1], tokens[at], tokens[at + 1]]
  const isTest =
    before?.value === 'NULL' && (tokens[at - 2]?.value === 'IS' || tokens[at - 3]?.value === 'IS')
  if (!isTest || token?.text !== '::' || !/^BOOL(?:EAN)?$/u.test(type?.value ?? '')) return []
  return [{ start: token.start, end: type?.end ?? token.end, text: '' }]
}

/** `TABLESAMPLE 50 PERCENT`, with brackets. */
function bracketSampleSizes(tokens: readonly SqlToken[], at: number): readonly TextChange[] {
  const [before, size, unit] = [tokens[at - 1], tokens[at], tokens[at + 1]]
  if (before?.value !== 'TABLESAMPLE' || size?.kind !== 'number') return []
  const isUnit = unit?.text === '%' || /^(?:PERCENT|ROWS?)$/u.test(unit?.value ?? '')
  const last = isUnit && unit !== undefined ? unit : size
  return [inserted(size.start, '('), inserted(last.end, ')')]
}

/** DuckDB's LISTAGG is its STRING_AGG, of which the library reads the order. */
function renameListAggregates(
  tokens: readonly SqlToken[],
  at: number,
  dialect: Dialect,
): readonly TextChange[] {
  const token = tokens[at]
  const isCall = token?.value === 'LISTAGG' && token.kind === 'word' && tokens[at + 1]?.text === '('
  if (dialect !== 'duckdb' || !isCall) return []
  return [{ start: token.start, end: token.end, text: 'STRING_AGG' }]
}

/** BigQuery's INSTR of a position and an occurrence, by a name that the library does not know. */
function renameLongSearches(
  tokens: readonly SqlToken[],
  at: number,
  dialect: Dialect,
): readonly TextChange[] {
  const token = tokens[at]
  if (dialect !== 'bigquery' || token?.value !== 'INSTR' || tokens[at + 1]?.text !== '(') return []
  return [{ start: token.start, end: token.end, text: 'INSTR_FROM' }]
}

/** Spark's `LATERAL a.b.f(x)`: the name of the function in one pair of quotes. */
function quoteQualifiedFunctions(tokens: readonly SqlToken[], at: number): readonly TextChange[] {
  if (tokens[at]?.value !== 'LATERAL') return []
  let last = at + 1
  while (tokens[last + 1]?.text === '.' && tokens[last + 2]?.kind === 'word') last += 2
  const [first, end] = [tokens[at + 1], tokens[last]]
  if (last === at + 1 || first === undefined || end === undefined || tokens[last + 1]?.text !== '(') return []
  const name = tokens.slice(at + 1, last + 1).map(({ text }) => text)
  return [{ start: first.start, end: end.end, text: `\`${name.join('')}\`` }]
}

/** `f(x) ct(a integer, b text)`: AS before a list of columns with their types. */
function addAsToTypedAliases(
  tokens: readonly SqlToken[],
  at: number,
  dialect: Dialect,
): readonly TextChange[] {
  const name = tokens[at]
  const isPostgres = dialect === 'postgres' || dialect === 'redshift' || dialect === 'duckdb'
  const isAlias = name?.kind === 'word' && tokens[at - 1]?.text === ')' && tokens[at + 1]?.text === '('
  const isTyped = tokens[at + 2]?.kind === 'word' && tokens[at + 3]?.kind === 'word'
  return isPostgres && isAlias && isTyped ? [inserted(name.start, 'AS ')] : []
}

const rewrites: readonly Rewrite[] = [
  quoteAliases,
  callPaths,
  dropBooleanCasts,
  bracketSampleSizes,
  renameListAggregates,
  renameLongSearches,
  quoteQualifiedFunctions,
  addAsToTypedAliases,
]
