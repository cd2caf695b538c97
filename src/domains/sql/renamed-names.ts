import type { SqlCase } from '../../benchmark/case.js'
import type { Dialect } from '../../enums/dialect.js'
import type { KnowledgeBase } from '../../kb/entry.js'
import { readText, type Snapshot } from '../../snapshot/snapshot.js'
import type { Schema, SqlParser, SqlToken, TableSchema } from '../../sql/index.js'
import { literalPattern } from '../../text/literal-pattern.js'
import { nearest } from '../../text/nearest-word.js'

/** A case whose expected query fails, and the engine's error. */
export interface FailingOracle {
  readonly testCase: SqlCase
  readonly dialect: Dialect
  readonly message: string
}

/** A name that the database no longer has, and where it is still written. */
export interface RenamedName {
  /** `orders.amount`, or `orders` for a table. */
  readonly gone: string
  /** Ids of the cases whose expected query fails for it. */
  readonly cases: readonly string[]
  /** What happened, in words, with the places. */
  readonly cause: string
}

interface RenameContext {
  readonly kb: KnowledgeBase
  readonly snapshot: Snapshot
  readonly parser: SqlParser
  readonly dialect: Dialect
  readonly benchmark: readonly SqlCase[]
  readonly schemaOf: (testCase: SqlCase) => Schema | undefined
}

const maxPlaces = 4
const keywords = new Set(['select', 'from', 'where', 'and', 'or', 'on', 'as', 'column', 'table', 'in'])
const maxNames = 3

/**
 * Returns, for expected queries that fail because a column or table does not exist, what the catalogue has
 * instead: each name once, with every place in knowledge and benchmark that still has the former one.
 */
export function findRenamedNames(
  failing: readonly FailingOracle[],
  context: RenameContext,
): readonly RenamedName[] {
  const found = new Map<string, { readonly missing: MissingName; readonly cases: SqlCase[] }>()
  for (const oracle of failing) {
    const schema = context.schemaOf(oracle.testCase)
    const missing = schema && missingName(oracle, schema, context)
    if (missing === undefined) continue
    const same = found.get(missing.gone) ?? { missing, cases: [] }
    found.set(missing.gone, same)
    same.cases.push(oracle.testCase)
  }
  return [...found.values()].flatMap(({ missing, cases }) => {
    const places = placesOf(missing.name, context)
    // A name that only one expected query has is a typing error there.
    if (places.length === 0 && cases.length === 1) return []
    return [{ gone: missing.gone, cases: cases.map(({ id }) => id), cause: describe(missing, cases, places) }]
  })
}

interface MissingName {
  readonly gone: string
  /** As it is written in queries. */
  readonly name: string
  readonly kind: 'column' | 'table'
  /** Names of the same kind that the catalogue has and that no query of the project uses; the likeliest first. */
  readonly unused: readonly string[]
  /** The one that it was most likely renamed to. */
  readonly now: string | undefined
}

/** Returns the name that an engine's error quotes, if it is in the query and not in the catalogue. */
function missingName(
  { testCase, dialect, message }: FailingOracle,
  schema: Schema,
  context: RenameContext,
): MissingName | undefined {
  const tokens = namesIn(testCase.expectedSql, dialect, context.parser)
  const tables = [...schema.tables.values()]
  const known = new Set(tables.flatMap(({ name, columns }) => [...lastPart(name), ...columns.keys()]))
  const quoted = new Set(message.toLowerCase().match(/[\p{L}_][\p{L}\p{N}_$]*/gu) ?? [])
  const words = tokens.map(({ value }) => value.toLowerCase())
  const read = tables.filter(({ name }) => lastPart(name).some((part) => words.includes(part)))
  // An alias, with AS or before a dot, is what the query itself calls it.
  const own = new Set(
    words.filter(
      (_, index) => words[index - 1] === 'as' || (words[index + 1] === '.' && !isTableName(words, index)),
    ),
  )
  const at = words.findIndex(
    (word) => quoted.has(word) && !known.has(word) && !own.has(word) && !keywords.has(word),
  )
  const token = tokens[at]
  const name = token?.kind === 'quoted' ? token.value : token?.text
  if (
    name === undefined ||
    !/no such|not exist|not found|unknown|does not have|invalid|referenced/iu.test(message)
  )
    return undefined
  const isTable = isTableName(words, at)
  const used = usedNames(context)
  if (isTable) {
    const unused = tables
      .map((table) => table.name)
      .filter((table) => lastPart(table).every((part) => !used.has(part)))
    return { gone: name, name, kind: 'table', ...ranked(name, unused) }
  }
  const [table, ...more] = read
  if (table === undefined) return undefined
  const unused = read.flatMap(({ columns }) => [...columns.keys()]).filter((column) => !used.has(column))
  const gone = more.length === 0 ? `${table.name}.${name}` : name
  return { gone, name, kind: 'column', ...ranked(name, [...new Set(unused)]) }
}

function isTableName(words: readonly string[], at: number): boolean {
  let first = at
  while (words[first - 1] === '.') first -= 2
  return ['from', 'join'].includes(words[first - 1] ?? '')
}

/** Orders names by how likely they are what the name became: those that share a word with it, then by letters. */
function ranked(name: string, names: readonly string[]): Pick<MissingName, 'unused' | 'now'> {
  const parts = wordsIn(name)
  const shared = (other: string): number => wordsIn(other).filter((word) => parts.includes(word)).length
  const near = nearest(name, names)
  const score = (other: string): number => shared(other) * 2 + (other === near ? 1 : 0)
  const unused = [...names].sort((a, b) => score(b) - score(a))
  const [best, second] = unused
  const isClear =
    best !== undefined && score(best) > 0 && (second === undefined || score(best) > score(second))
  return { unused, now: isClear || unused.length === 1 ? best : undefined }
}

function describe(
  { gone, kind, unused, now }: MissingName,
  cases: readonly SqlCase[],
  places: readonly string[],
): string {
  const [first] = cases
  const oracle = first === undefined ? [] : [`${first.sqlLocation.file}:${first.sqlLocation.line}`]
  const more = cases.length > 1 ? ` and ${cases.length - 1} more expected queries` : ''
  const stale = `${[...listed(places, maxPlaces), ...oracle].join(', ')}${more}`
  const others = unused.slice(0, maxNames).join(', ')
  const instead =
    now !== undefined
      ? `it is most likely ${now} now, which no query of this project names`
      : unused.length === 0
        ? `and no ${kind} there is new to this project`
        : `${kind}s there that no query of this project names: ${others}`
  return `the database has no ${kind} ${gone}: ${instead}; still written in ${stale}`
}

/** Returns `file:line` of each entry that has the name in its SQL. */
function placesOf(name: string, { kb, snapshot }: RenameContext): string[] {
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_$])${literalPattern(name)}(?![\\p{L}\\p{N}_$])`, 'iu')
  const paths = new Set([
    ...[...kb.snippets.values()].map(({ path }) => path),
    ...kb.metrics.map(({ path }) => path),
    ...kb.notes.map(({ path }) => path),
  ])
  return [...paths].flatMap((path) => {
    const line = (readText(snapshot, path) ?? '').split('\n').findIndex((text) => pattern.test(text))
    return line < 0 ? [] : [`${path}:${line + 1}`]
  })
}

/** Returns every name in the queries of knowledge and benchmark, in lower case. */
function usedNames({ kb, benchmark, parser, dialect }: RenameContext): ReadonlySet<string> {
  const queries = [
    ...[...kb.snippets.values()].map(({ text }) => text),
    ...benchmark.map((each) => each.expectedSql),
  ]
  return new Set(
    queries.flatMap((sql) => namesIn(sql, dialect, parser).map(({ value }) => value.toLowerCase())),
  )
}

function namesIn(sql: string, dialect: Dialect, parser: SqlParser): readonly SqlToken[] {
  const outcome = parser.tokenize(sql, dialect)
  return outcome.kind === 'tokens' ? outcome.tokens : []
}

function lastPart(name: TableSchema['name']): string[] {
  return [name.toLowerCase().split('.').at(-1) ?? '']
}

function wordsIn(name: string): string[] {
  return name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1)
}

function listed(items: readonly string[], most: number): string[] {
  return items.length <= most ? [...items] : [...items.slice(0, most - 1), `${items.length - most + 1} more`]
}
