import { readFileSync } from 'node:fs'
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'
import type { Tables } from './mutants.js'
import { samplePath } from './sample-root.js'

/** Cells as numbers where they are numeric, else as text; in order of the query. */
export type Rows = readonly (readonly (number | string | null)[])[]

/** The sample's warehouse in memory, built by its script as the engine builds it: without access to files. */
export async function buildWarehouse(): Promise<DuckDBConnection> {
  const database = await DuckDBInstance.create(':memory:', { enable_external_access: 'false', threads: '2' })
  const connection = await database.connect()
  await connection.run(readFileSync(samplePath('data/shop.sql'), 'utf8'))
  return connection
}

export async function rowsOf(connection: DuckDBConnection, sql: string): Promise<Rows> {
  const reader = await connection.runAndReadAll(sql)
  return reader.getRows().map((row) => row.map(cell))
}

/** Rows, or `fails` where the engine refuses the query. */
export async function outcomeOf(connection: DuckDBConnection, sql: string): Promise<Rows | 'fails'> {
  return rowsOf(connection, sql).catch(() => 'fails' as const)
}

/** Equal as the scoring counts it: by position, numbers by a relative 1e-4, order only where it is asked for. */
export function sameRows(a: Rows, b: Rows, ordered: boolean): boolean {
  if (a.length !== b.length) return false
  const [left, right] = ordered ? [a, b] : [sorted(a), sorted(b)]
  return left.every((row, at) => {
    const other = right[at] ?? []
    return row.length === other.length && row.every((value, column) => sameCell(value, other[column] ?? null))
  })
}

export async function tablesOf(connection: DuckDBConnection): Promise<Tables> {
  const rows = await rowsOf(
    connection,
    `SELECT schema_name || '.' || table_name, column_name, data_type FROM duckdb_columns()
     WHERE schema_name IN ('traffic', 'commerce', 'ads', 'support')`,
  )
  const tables = new Map<string, Map<string, string>>()
  for (const [table, column, type] of rows) {
    const columns = tables.get(String(table)) ?? new Map<string, string>()
    tables.set(String(table), columns.set(String(column), String(type)))
  }
  return tables
}

function cell(value: DuckDBValue): number | string | null {
  if (value === null) return null
  const text = String(value)
  const number = Number(text)
  return text !== '' && Number.isFinite(number) ? number : text
}

function sameCell(a: number | string | null, b: number | string | null): boolean {
  if (typeof a !== 'number' || typeof b !== 'number') return a === b
  if (Number.isInteger(a) && Number.isInteger(b)) return a === b
  return Math.abs(a - b) <= Math.max(1e-9, 1e-4 * Math.max(Math.abs(a), Math.abs(b)))
}

function sorted(rows: Rows): Rows {
  return rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}
