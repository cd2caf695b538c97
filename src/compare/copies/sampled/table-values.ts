import type { CatalogueTable } from '../../../engine/contract/engine.js'
import type { Dialect } from '../../../enums/dialect.js'
import { quoteNameIn, quoteTextIn } from './quote-in-dialect.js'
import type { Texts } from './read-rows.js'
import { singleKey } from './representative-rows.js'
import type { SampledTable } from './sample-tables.js'

/** How a server writes rows of VALUES: MySQL with ROW, MariaDB without. */
export interface ValuesSyntax {
  readonly dialect: Dialect
  readonly rowKeyword: string
}

/**
 * Returns definitions for a WITH clause: the rows as texts, and a table of their cells in the types of the columns; columns
 * that are computed are computed.
 *
 * @param number adds the position of each row, as a column of this name
 */
export function tableDefinitions(
  sampled: Pick<SampledTable, 'table' | 'columns'> & Partial<Pick<SampledTable, 'rows'>>,
  rows: readonly Texts[],
  name: string,
  syntax: ValuesSyntax,
  number?: string,
): readonly string[] {
  const { table, columns } = sampled
  const { dialect } = syntax
  const quoted = (each: string): string => quoteNameIn(each, dialect)
  const borrowed = rows.length === 0 ? new Map<number, Borrowed>() : borrowedColumns(sampled, name, dialect)
  const cells = columns.map(
    ({ name: column, type }, at) =>
      `${borrowed.get(at)?.cell ?? type.cast(rows.length === 0 ? 'NULL' : `c${at}`)} AS ${quoted(column)}`,
  )
  const numbered = number === undefined ? [] : [`${rows.length === 0 ? 'NULL' : 'n'} AS ${number}`]
  const from = rows.length === 0 ? emptySource(dialect) : `${name}_rows`
  const joins = [...borrowed.values()].map(({ join }) => ` ${join}`).join('')
  const stored = `SELECT ${[...cells, ...numbered].join(', ')} FROM ${from}${joins}`
  const whole = isComputed(table) ? withGenerated(table, stored, { columns, quoted, number }) : stored
  const names = [...columns.map((_, at) => `c${at}`), ...(number === undefined ? [] : ['n'])]
  return rows.length === 0
    ? [`${name} AS (${whole})`]
    : [
        valuesOf(`${name}_rows`, names, rows, syntax),
        ...[...borrowed.values()].map(({ definition }) => definition),
        `${name} AS (${whole})`,
      ]
}

/** A column whose cells are those of rows of the table itself, which are read by their key. */
interface Borrowed {
  readonly definition: string
  readonly join: string
  readonly cell: string
}

function borrowedColumns(
  { table, columns, rows = [] }: Parameters<typeof tableDefinitions>[0],
  name: string,
  dialect: Dialect,
): ReadonlyMap<number, Borrowed> {
  const key = singleKey(table)
  const keyAt = columns.findIndex((column) => column.name === key)
  const keyType = columns[keyAt]?.type
  const found = new Map<number, Borrowed>()
  for (const [at, { name: column, type }] of columns.entries()) {
    if (type.isBorrowed !== true || keyType === undefined) continue
    const keys = new Map(rows.map((row) => [row[at], row[keyAt]]))
    const literals = [...keys].flatMap(([text, own]) =>
      typeof text === 'string' && typeof own === 'string' ? [keyType.cast(quoteTextIn(own, dialect))] : [],
    )
    if (literals.length === 0) continue
    const [source, quoted] = [`${name}_c${at}`, quoteNameIn(column, dialect)]
    found.set(at, {
      definition: `${source} AS (SELECT DISTINCT ${quoted} FROM ${table.name} WHERE ${quoteNameIn(key ?? '', dialect)} IN (${literals.join(', ')}))`,
      join: `LEFT JOIN ${source} ON ${source}.${quoted} = ${type.cast(`c${at}`)}`,
      cell: `${source}.${quoted}`,
    })
  }
  return found
}

/** Returns a definition for a WITH clause that reads the rows of a table; columns that are computed are computed. */
export function readingDefinition(
  { table, columns }: Pick<SampledTable, 'table' | 'columns'>,
  source: string,
  name: string,
  dialect: Dialect,
): string {
  const quoted = (each: string): string => quoteNameIn(each, dialect)
  const stored = `SELECT ${columns.map((column) => quoted(column.name)).join(', ')} FROM ${source}`
  return `${name} AS (${isComputed(table) ? withGenerated(table, stored, { columns, quoted, number: undefined }) : stored})`
}

/** Rows and characters of one statement, which Trino takes up to a million characters long. */
const rowsAtOnce = 1000
const charactersAtOnce = 400_000

/** Returns queries that give the rows together, in order, without the columns that are computed. */
export function rowQueries(
  { table, columns }: Pick<SampledTable, 'table' | 'columns'>,
  rows: readonly Texts[],
  syntax: ValuesSyntax,
): readonly string[] {
  const stored = {
    table: { ...table, columns: table.columns.filter(({ generated }) => generated === undefined) },
    columns,
  }
  const queries: string[] = []
  let batch: Texts[] = []
  let characters = 0
  const flush = (): void => {
    if (batch.length === 0) return
    queries.push(
      `WITH ${tableDefinitions(stored, batch, 'autotest_c', syntax).join(', ')} SELECT * FROM autotest_c`,
    )
    batch = []
    characters = 0
  }
  for (const row of rows) {
    const length = row.reduce((sum, cell) => sum + (cell?.length ?? 4) + 4, 0)
    if (batch.length >= rowsAtOnce || characters + length > charactersAtOnce) flush()
    batch.push(row)
    characters += length
  }
  flush()
  return queries
}

function isComputed(table: CatalogueTable): boolean {
  return table.columns.some(({ generated }) => generated !== undefined)
}

function emptySource(dialect: Dialect): string {
  return `(SELECT 1 AS one${dialect === 'mysql' ? ' FROM DUAL' : ''}) AS unused WHERE 1 = 0`
}

/** Returns a definition of rows of texts, with their positions as one more column where there is a name for it. */
function valuesOf(
  name: string,
  names: readonly string[],
  rows: readonly Texts[],
  { dialect, rowKeyword }: ValuesSyntax,
): string {
  if (dialect === 'trino' || dialect === 'presto')
    return `${name}(${names.join(', ')}) AS (${fromJson(names, rows, dialect)})`
  const literals = rows.map((row, at) => [
    ...row.map((cell) => (cell === null ? 'NULL' : quoteTextIn(cell, dialect))),
    ...(names.length > row.length ? [String(at)] : []),
  ])
  if (dialect === 'bigquery') {
    const structs = literals.map((row, index) =>
      // The first one names the fields and gives them their types.
      index > 0
        ? `(${row.join(', ')})`
        : `STRUCT(${row.map((cell, at) => `CAST(${cell} AS ${names[at] === 'n' ? 'INT64' : 'STRING'}) AS ${names[at]}`).join(', ')})`,
    )
    return `${name} AS (SELECT * FROM UNNEST([${structs.join(', ')}]))`
  }
  const values = `VALUES ${literals.map((row) => `${rowKeyword}(${row.join(', ')})`).join(', ')}`
  const query = dialect === 'snowflake' ? `SELECT * FROM (${values})` : values
  return `${name}(${names.join(', ')}) AS (${query})`
}

/**
 * Returns a query of the rows in one literal: Trino plans each cell of VALUES by itself, which takes half a second for ten
 * thousand of them, and four times as long where the cluster is busy.
 */
function fromJson(names: readonly string[], rows: readonly Texts[], dialect: Dialect): string {
  const cells = names.map((name, at) => (name === 'n' ? `CAST(x[${at + 1}] AS integer)` : `x[${at + 1}]`))
  const numbered = rows.map((row, at) => (names.length > row.length ? [...row, String(at)] : row))
  const literal = quoteTextIn(JSON.stringify(numbered), dialect)
  return `SELECT ${cells.join(', ')} FROM UNNEST(CAST(json_parse(${literal}) AS array(array(varchar)))) AS u(x)`
}

/** Returns a query of all columns in their order, with those that are computed from the others. */
function withGenerated(
  table: CatalogueTable,
  stored: string,
  {
    columns,
    quoted,
    number,
  }: {
    readonly columns: SampledTable['columns']
    readonly quoted: (name: string) => string
    readonly number: string | undefined
  },
): string {
  const outputs = table.columns.flatMap(({ name, generated }) => {
    if (generated !== undefined) return [`(${generated}) AS ${quoted(name)}`]
    return columns.some((column) => column.name === name) ? [quoted(name)] : []
  })
  return `SELECT ${[...outputs, ...(number === undefined ? [] : [number])].join(', ')} FROM (${stored}) AS stored`
}
