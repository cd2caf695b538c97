import type { Catalogue, CatalogueTable } from '../../../engine/contract/engine.js'
import { identifiersIn } from '../../../engine/fuzz/redistribute-values.js'
import type { Dialect } from '../../../enums/dialect.js'
import { AutotestError } from '../../../errors.js'
import {
  plainName,
  replaceTables,
  type Schema,
  type SqlParser,
  type SqlToken,
  sourcesIn,
  tableOf,
} from '../../../sql/index.js'
import { withoutTerminator } from '../../../sql-text/scan.js'
import { quoteNameIn } from './quote-in-dialect.js'
import { singleKey } from './representative-rows.js'
import type { SampledTable } from './sample-tables.js'

/** What is needed to read a query's tables. */
export interface QueryReader {
  readonly dialect: Dialect
  readonly parser: SqlParser
  readonly catalogue: Catalogue
  readonly schema: Schema
}

/** A query whose tables have other names, and what these stand for. */
export interface RenamedQuery {
  /** Without the beginning of its WITH clause. */
  readonly sql: string
  readonly with: '' | 'WITH' | 'WITH RECURSIVE'
  /** Tables of the database that are read, views expanded, in the order in which they can be defined. */
  readonly tables: readonly NamedTable[]
  readonly views: readonly {
    readonly name: string
    readonly columns: readonly string[]
    readonly sql: string
  }[]
}

interface NamedTable {
  readonly name: string
  readonly table: CatalogueTable
}

/** Views on views, at most. */
const deepest = 16

/**
 * Gives the tables that a query reads names that nothing has, so that a WITH clause in front of it can define them. Views
 * become queries of these. Throws `engine_unavailable` where one cannot be defined so.
 */
export function renameTables(sql: string, reader: QueryReader): RenamedQuery {
  const prefix = unusedPrefix([sql, ...reader.catalogue.tables.map(({ view = '' }) => view)])
  const tables = new Map<string, NamedTable>()
  const views = new Map<string, RenamedQuery['views'][number]>()
  const rename = (text: string, depth: number): string => {
    if (depth > deepest) throw cannot('its views are nested too deeply')
    const tokens = tokensOf(text, reader)
    const read = new Set<string>()
    const outcome = replaceTables(text, tokens, (parts) => {
      const table = catalogueTable(parts, reader)
      if (table === undefined) return undefined
      read.add(plainName(table.name))
      return { name: define(table, depth) }
    })
    if (outcome.kind === 'failed') throw cannot(`${outcome.message}, of which no copy is made`)
    checkTables(text, read, reader)
    return outcome.sql
  }
  const define = (table: CatalogueTable, depth: number): string => {
    const key = plainName(table.name)
    const known = tables.get(key) ?? views.get(key)
    if (known !== undefined) return known.name
    const name = `${prefix}${tables.size + views.size + 1}`
    if (table.view === undefined) {
      tables.set(key, { name, table })
      return name
    }
    if (table.view === '') throw cannot(`the query of the view ${table.name} is not shown to this role`)
    const columns = table.columns.map((column) => quoteNameIn(column.name, reader.dialect))
    // Kept before what it reads is defined, so that names are not given twice; moved to the end after it.
    views.set(key, { name, columns, sql: '' })
    const text = rename(table.view, depth + 1)
    views.delete(key)
    views.set(key, { name, columns, sql: text })
    return name
  }
  const renamed = rename(withoutTerminator(sql, reader.dialect), 0)
  const [first, second] = tokensOf(renamed, reader)
  const isRecursive = second?.value === 'RECURSIVE'
  return {
    ...(first?.value === 'WITH'
      ? {
          with: isRecursive ? 'WITH RECURSIVE' : 'WITH',
          sql: renamed.slice((isRecursive ? second : first).end).trimStart(),
        }
      : { with: '', sql: renamed }),
    tables: [...tables.values()],
    views: [...views.values()],
  }
}

/** Puts the definitions in front of a renamed query. */
export function shadowTables(query: RenamedQuery, definitions: readonly string[]): string {
  const views = query.views.map(({ name, columns, sql }) => `${name}(${columns.join(', ')}) AS (${sql})`)
  const own = [...definitions, ...views].join(',\n')
  if (query.with === '') return own === '' ? query.sql : `WITH ${own}\n${query.sql}`
  return `${query.with} ${own}${own === '' ? '' : ',\n'}${query.sql}`
}

/**
 * Throws where the queries use a column that the copies lack, or hold in another type than the declared one.
 *
 * @param areCast the cells are casts of texts, which have not all that a column has
 */
export function checkColumns(
  tables: readonly SampledTable[],
  queries: readonly string[],
  areCast: boolean,
): void {
  const words = new Set(identifiersIn(queries))
  for (const { table, columns } of tables) {
    for (const { name, generated, type } of table.columns) {
      const held = columns.find((column) => column.name === name)
      const isUsed = words.has('*') || words.has(name.toLowerCase())
      if (held === undefined && generated === undefined && isUsed)
        throw cannot(`${table.name}.${name} is of type ${type}, which cannot be written as a text`)
      // Its cells would have another type than the declared one, and compare otherwise.
      if (areCast && held?.type.isBorrowed === true && isUsed && singleKey(table) === undefined)
        throw cannot(
          `${table.name}.${name} is an ${type.split('(')[0]} of a table without a key of one column`,
        )
    }
  }
}

/** Throws `engine_unavailable` for a text that has none. */
export function tokensOf(sql: string, { parser, dialect }: QueryReader): readonly SqlToken[] {
  const outcome = parser.tokenize(sql, dialect)
  if (outcome.kind === 'failed') throw cannot(`a query cannot be read: ${outcome.message}`)
  return outcome.tokens
}

/** Throws unless the parser finds the same tables: else one might be read from the database itself. */
function checkTables(sql: string, read: ReadonlySet<string>, { parser, dialect, schema }: QueryReader): void {
  const parsed = parser.parse(sql, dialect, schema)
  if (parsed.kind === 'unparsable') throw cannot(`a query cannot be parsed: ${parsed.message}`)
  const found = [...sourcesIn(parsed.shape).tables.values()].map((name) =>
    plainName(tableOf(schema, name)?.name ?? name),
  )
  const missed = found.find((name) => !read.has(name))
  if (missed !== undefined) throw cannot(`how ${missed} is read is not known`)
}

function catalogueTable(
  parts: readonly string[],
  { catalogue, schema }: QueryReader,
): CatalogueTable | undefined {
  const name = plainName(tableOf(schema, parts.join('.'))?.name ?? '')
  return catalogue.tables.find((table) => plainName(table.name) === name)
}

/** Returns the begin of names that none of the texts contains. */
function unusedPrefix(texts: readonly string[]): string {
  for (let number = 0; ; number++) {
    const prefix = `autotest${number === 0 ? '' : `_${number}`}_t`
    if (!texts.some((text) => text.toLowerCase().includes(prefix))) return prefix
  }
}

function cannot(reason: string): AutotestError {
  return new AutotestError('engine_unavailable', reason)
}
