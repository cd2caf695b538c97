import type { Dialect } from '../enums/dialect.js'
import { normalize } from './normalize/normalize.js'
import type { SqlParser } from './parser-interface.js'
import { printQuery } from './print/print.js'
import { canonicalizePair, type DialectQuery, toCommonDialect } from './query-pair.js'
import type { SqlDifference, StructuralComparison } from './structural-comparison.js'
import type { Schema } from './tables/table-schema.js'
import type { SqlToken } from './tokens.js'

type Clause = 'select' | 'where' | 'group by' | 'having' | 'order by'

/** A part of a query's outermost SELECT as its author wrote it: one output, one condition, one key. */
interface Fragment {
  readonly clause: Clause
  readonly text: string
}

/** The parts of an outermost SELECT, and the text before and after its outputs that they need to be read. */
interface SplitQuery {
  readonly before: string
  readonly from: string
  readonly fragments: readonly Fragment[]
}

/**
 * Returns the comparison with differences in the words of the two queries: comparing needs one form for what dialects
 * spell in many ways, and nobody should have to read that form. Where no part of a query has the form, it stays.
 */
export function quoteSourceText(
  comparison: StructuralComparison,
  sides: { readonly expected: DialectQuery; readonly generated: DialectQuery },
  parser: SqlParser,
  schema: Schema | undefined,
): StructuralComparison {
  if (!('differences' in comparison)) return comparison
  const quote = {
    expected: quoter(sides.expected, sides.generated.dialect, parser, schema),
    generated: quoter(sides.generated, sides.expected.dialect, parser, schema),
  }
  const differences = comparison.differences.map((difference): SqlDifference => {
    const written = (side: 'expected' | 'generated'): string | undefined => {
      const canonical = difference[side]
      return canonical === undefined || !difference.text.includes(canonical)
        ? undefined
        : quote[side](canonical)
    }
    const [wanted, found] = [written('expected'), written('generated')]
    // A difference that only the canonical form shows is told in it.
    if ((wanted ?? difference.expected) === (found ?? difference.generated)) return difference
    const { expected = '', generated = '' } = difference
    const half =
      found === undefined
        ? difference.text
        : replaceAt(difference.text, difference.text.indexOf(generated), generated, found)
    const text = wanted === undefined ? half : replaceAt(half, half.lastIndexOf(expected), expected, wanted)
    return { ...difference, text }
  })
  const isNew = ({ text }: SqlDifference, at: number): boolean =>
    differences.findIndex((other) => other.text === text) === at
  // A range is two conditions in the canonical form, and one as it is written.
  return { ...comparison, differences: differences.filter(isNew) }
}

function replaceAt(text: string, at: number, from: string, to: string): string {
  return `${text.slice(0, at)}${to}${text.slice(at + from.length)}`
}

/** Returns a function that finds the part of a query with a canonical form; undefined where that has only the query's own words. */
function quoter(
  query: DialectQuery,
  other: Dialect,
  parser: SqlParser,
  schema: Schema | undefined,
): (canonical: string) => string | undefined {
  const source = namesIn(query.sql)
  let split: SplitQuery | undefined
  const forms = new Map<Fragment, readonly string[]>()
  return (canonical) => {
    const names = namesIn(canonical)
    if ([...names].every((name) => source.has(name))) return undefined
    split ??= splitQuery(query, parser)
    const found = split.fragments.find((fragment) => {
      if (![...namesIn(fragment.text)].some((name) => names.has(name))) return false
      const known = forms.get(fragment) ?? formsOf(fragment, split ?? noParts, query, other, parser, schema)
      forms.set(fragment, known)
      return known.includes(plain(canonical))
    })
    return found?.text.replaceAll(/\s+/gu, ' ')
  }
}

const noParts: SplitQuery = { before: '', from: '', fragments: [] }

/** Returns the canonical texts that a part alone has in a query with the same tables. */
function formsOf(
  { clause, text }: Fragment,
  { before, from }: SplitQuery,
  { dialect }: DialectQuery,
  other: Dialect,
  parser: SqlParser,
  schema: Schema | undefined,
): readonly string[] {
  const sql =
    clause === 'select' ? `${before}SELECT ${text} ${from}` : `${before}SELECT 1 ${from} ${clause} ${text}`
  const outcome = parser.parse(sql, dialect, schema)
  if (outcome.kind === 'unparsable') return []
  const { shape } = outcome
  const own = normalize(shape, dialect)
  // In two dialects, differences may be told in the words that both share.
  const dialects = { expected: dialect, generated: other }
  const common = toCommonDialect({ expected: shape, generated: shape }, dialects, schema)
  const forms = [
    printQuery(own, { qualify: true }),
    printQuery(own, { qualify: false }),
    canonicalizePair(common, schema, new Set()).expected,
  ]
  return forms.flatMap(({ parts }) => parts.map((part) => plain(part.text)))
}

/** A text without layout, case, quotes of names, table names before columns, and parentheses. */
function plain(sql: string): string {
  return sql
    .toLowerCase()
    .replaceAll(/(?<=[^\w])[\w$"`]+\.(?=[\w"`])|^[\w$"`]+\.(?=[\w"`])/gu, '')
    .replaceAll(/[\s"`()]/gu, '')
}

function namesIn(sql: string): ReadonlySet<string> {
  return new Set(sql.toLowerCase().match(/[\p{L}\p{N}_]+|[~@#&|?^]+|->>?|::/gu) ?? [])
}

const clauseWords: ReadonlySet<string> = new Set([
  ...['from', 'where', 'group', 'having', 'order', 'qualify', 'window', 'limit', 'offset', 'fetch', 'union'],
  ...['intersect', 'except', 'sample', 'pivot', 'unpivot'],
])

function splitQuery({ sql, dialect }: DialectQuery, parser: SqlParser): SplitQuery {
  const outcome = parser.tokenize(sql, dialect)
  if (outcome.kind !== 'tokens') return noParts
  const outer = outermost(outcome.tokens)
  const word = ({ text }: SqlToken): string => text.toLowerCase()
  const first = outer.findIndex((token) => word(token) === 'select')
  const select = outer[first]
  if (select === undefined) return noParts
  const starts = outer.flatMap((token, at) =>
    at > first && clauseWords.has(word(token)) && word(token) !== 'within' ? [at] : [],
  )
  const textOf = (tokens: readonly SqlToken[]): string =>
    tokens.length === 0 ? '' : sql.slice(tokens[0]?.start, tokens.at(-1)?.end)
  const clauses = [first, ...starts].map((at, index) => {
    const end = starts[index] ?? outer.length
    return { word: word(outer[at] ?? select), tokens: outer.slice(at, end) }
  })
  const fragments = clauses.flatMap(({ word: name, tokens }): Fragment[] => {
    const second = tokens[1] === undefined ? '' : word(tokens[1])
    if (name === 'select') {
      const body = tokens.slice(second === 'distinct' || second === 'all' ? 2 : 1)
      return splitAt(body, ({ text }) => text === ',').map((each) => ({
        clause: 'select',
        text: textOf(withoutName(each)),
      }))
    }
    if (name === 'where' || name === 'having')
      return conjunctsOf(tokens.slice(1)).map((each) => ({ clause: name, text: textOf(each) }))
    if (name !== 'group' && name !== 'order') return []
    const clause = name === 'group' ? 'group by' : 'order by'
    return splitAt(tokens.slice(2), ({ text }) => text === ',').map((each) => ({
      clause,
      text: textOf(each),
    }))
  })
  const from = clauses.find((clause) => clause.word === 'from')?.tokens ?? []
  return {
    before: sql.slice(0, select.start),
    from: textOf(from),
    fragments: fragments.filter(({ text }) => text !== ''),
  }
}

/** Returns the tokens outside of parentheses, each opening one with its closing one as a single token. */
function outermost(tokens: readonly SqlToken[]): SqlToken[] {
  const outer: SqlToken[] = []
  let depth = 0
  for (const token of tokens) {
    if (token.text === ')') depth--
    const last = outer.at(-1)
    if (depth === 0 && token.text === ')' && last !== undefined)
      outer[outer.length - 1] = { ...last, text: '(…)', end: token.end }
    else if (depth === 0) outer.push(token)
    if (token.text === '(') depth++
  }
  return outer
}

/** Returns an output without the name that it is given. */
function withoutName(tokens: readonly SqlToken[]): readonly SqlToken[] {
  return tokens.at(-2)?.text.toLowerCase() === 'as' ? tokens.slice(0, -2) : tokens
}

/** Splits conditions at AND, except that of a BETWEEN. */
function conjunctsOf(tokens: readonly SqlToken[]): (readonly SqlToken[])[] {
  let ranges = 0
  let cases = 0
  return splitAt(tokens, ({ text }) => {
    const word = text.toLowerCase()
    if (word === 'case') cases++
    if (word === 'end' && cases > 0) cases--
    if (word === 'between') ranges++
    if (word !== 'and' || cases > 0) return false
    if (ranges === 0) return true
    ranges--
    return false
  })
}

function splitAt(
  tokens: readonly SqlToken[],
  isSeparator: (token: SqlToken) => boolean,
): (readonly SqlToken[])[] {
  const parts: SqlToken[][] = [[]]
  for (const token of tokens) {
    if (isSeparator(token)) parts.push([])
    else parts.at(-1)?.push(token)
  }
  return parts
}
