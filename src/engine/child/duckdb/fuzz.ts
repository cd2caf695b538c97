import type { DuckDBConnection, DuckDBType } from '@duckdb/node-api'
import type { CopySpec } from '../../contract/copy-spec.js'
import { fuzz, sortParentsFirst } from '../../fuzz/fuzz.js'
import { type Cell, type FuzzTable, tupleKey } from '../../fuzz/fuzz-table.js'
import { requiredTables } from '../../fuzz/required-tables.js'
import { rowsPerTable } from '../../fuzz/sample-size.js'
import { quoteName, quoteText } from '../../query/quote-names.js'
import type { FuzzRequest, ReorderRequest } from '../protocol.js'
import { appendRows } from './append-rows.js'
import { createDuckdbCheckProbe } from './check-constraint-probe.js'
import { type DuckdbTable, readTables, readViews } from './read-tables.js'
import { writeDatabase } from './write-database.js'

/**
 * Approximate number of bytes of texts and nested values read from one table; a table of documents must not
 * fill the memory.
 */
const tableBytes = 64e6
/** Number of rows of a large table from which its sample is drawn. */
const leastDrawnFrom = 300_000

/** Writes a fuzzed copy of a DuckDB database. */
export function fuzzDuckdb(source: string, memoryBytes: number, request: FuzzRequest): Promise<void> {
  const { spec } = request
  return writeDatabase(request.target, memoryBytes, async (connection) => {
    const all = await attachAndCopySchema(connection, source)
    const tables = await selectTables(connection, all, spec)
    await dropTables(connection, withoutAll(all, tables))
    const sizes = tables.map(({ rows, shape }) => ({ rows, columns: shape.columns.length }))
    const most = rowsPerTable(sizes, request)
    const types = new Map<string, readonly DuckDBType[]>()
    const read: FuzzTable[] = []
    for (const table of tables) {
      const found = await readRows(connection, table, sampleOf(table, most, Math.abs(spec.seed)))
      types.set(table.shape.name, found.types)
      read.push({ ...table.shape, rows: found.rows })
    }
    const declared = tables.map((table) => ({ ...table, types: types.get(table.shape.name) ?? [] }))
    for (const table of await fuzz(read, spec, createDuckdbCheckProbe(connection, declared))) {
      const place = tables.find((candidate) => candidate.shape.name === table.name)
      if (place !== undefined) await writeRows(connection, place, table, types.get(table.name) ?? [])
    }
  })
}

/** Returns the tables whose rows are read. */
async function selectTables(
  connection: DuckDBConnection,
  tables: readonly DuckdbTable[],
  { tables: names }: CopySpec,
): Promise<readonly DuckdbTable[]> {
  if (names === undefined) return tables
  const wanted = requiredTables(names, tables, await readViews(connection, 'original'))
  return tables.filter(({ shape }) => wanted.has(shape.name))
}

/** Writes a copy with its rows reversed, or in an order determined by the seed. */
export function reorderDuckdbRows(
  memoryBytes: number,
  { copy, target, seed }: ReorderRequest,
): Promise<void> {
  return writeDatabase(target, memoryBytes, async (connection) => {
    const tables = await attachAndCopySchema(connection, copy)
    for (const { name } of sortParentsFirst(tables.map(({ shape }) => ({ ...shape, rows: [] })))) {
      const table = tables.find(({ shape }) => shape.name === name)
      if (table !== undefined) await writeReordered(connection, table, seed)
    }
  })
}

/** Writes reordered rows. Rows that others of their table refer to come before those, whatever the order. */
async function writeReordered(
  connection: DuckDBConnection,
  table: DuckdbTable,
  seed: number | undefined,
): Promise<void> {
  const { schema, shape } = table
  const order = seed === undefined ? 'rowid DESC' : `hash(rowid + ${seed})`
  if (shape.references.some((reference) => reference.table === shape.name)) {
    const ordered = `(FROM ${nameOf(table)} ORDER BY ${order})`
    const { types, rows } = await readRows(connection, table, ordered)
    await writeRows(connection, table, { ...shape, rows }, types)
    return
  }
  const names = shape.columns.map(({ name }) => quoteName(name)).join(', ')
  await connection.run(
    `INSERT INTO changed.${quoteName(schema)}.${quoteName(table.table)} (${names}) SELECT ${names} FROM ${nameOf(table)} ORDER BY ${order}`,
  )
}

/** Attaches a database and creates its tables, views, macros and types, without rows, in the target. */
async function attachAndCopySchema(
  connection: DuckDBConnection,
  source: string,
): Promise<readonly DuckdbTable[]> {
  await connection.run(`ATTACH ${quoteText(source)} AS original (READ_ONLY)`)
  const tables = await readTables(connection, 'original')
  await connection.run('COPY FROM DATABASE original TO changed (SCHEMA)')
  // Defaults name their sequences without the database.
  await connection.run('USE changed')
  return tables
}

function withoutAll(all: readonly DuckdbTable[], some: readonly DuckdbTable[]): DuckdbTable[] {
  const kept = new Set(some.map(({ shape }) => shape.name))
  return all.filter(({ shape }) => !kept.has(shape.name))
}

/** Drops tables, referring ones first: each takes space in the file. */
async function dropTables(connection: DuckDBConnection, tables: readonly DuckdbTable[]): Promise<void> {
  const byName = new Map(tables.map((table) => [table.shape.name, table]))
  const ordered = sortParentsFirst(tables.map(({ shape }) => ({ ...shape, rows: [] }))).toReversed()
  // Dropping thousands one by one would take seconds.
  await connection.run('BEGIN')
  for (const { name } of ordered) {
    const table = byName.get(name)
    if (table !== undefined)
      await connection.run(`DROP TABLE changed.${quoteName(table.schema)}.${quoteName(table.table)}`)
  }
  await connection.run('COMMIT')
}

function nameOf({ schema, table }: DuckdbTable): string {
  return `original.${quoteName(schema)}.${quoteName(table)}`
}

/**
 * Returns a sample of rows from the whole table. Drawing single rows from a large one needs a full scan:
 * there, rows are drawn from some of its blocks of 2,048.
 */
function sampleOf(table: DuckdbTable, rows: number, seed: number): string {
  const share = Math.max(leastDrawnFrom, rows * 20) / table.rows
  const blocks = `USING SAMPLE system(${(share * 100).toFixed(6)}%) REPEATABLE (${seed})`
  const from = share < 1 ? `(SELECT * FROM ${nameOf(table)} ${blocks})` : nameOf(table)
  return `${from} USING SAMPLE reservoir(${rows} ROWS) REPEATABLE (${seed})`
}

async function readRows(
  connection: DuckDBConnection,
  table: DuckdbTable,
  from: string,
): Promise<{ readonly types: readonly DuckDBType[]; readonly rows: Cell[][] }> {
  const names = table.shape.columns.map((column) => quoteName(column.name)).join(', ')
  const result = await connection.stream(`SELECT ${names} FROM ${from}`)
  const rows: Cell[][] = []
  let bytes = 0
  for (
    let chunk = await result.fetchChunk();
    chunk !== null && chunk.rowCount > 0 && bytes < tableBytes;
    chunk = await result.fetchChunk()
  ) {
    for (const row of chunk.getRows()) {
      rows.push(row)
      for (const cell of row) bytes += typeof cell === 'string' ? cell.length : 8
    }
  }
  return { types: result.columnTypes(), rows }
}

async function writeRows(
  connection: DuckDBConnection,
  place: DuckdbTable,
  table: FuzzTable,
  types: readonly DuckDBType[],
): Promise<void> {
  for (const rows of insertionLayers(table)) {
    const appender = await connection.createAppender(place.table, place.schema, 'changed')
    appendRows(appender, rows, types)
    appender.closeSync()
  }
}

/** Groups rows into layers: DuckDB accepts a row that refers to another of its table only after that one. */
function insertionLayers(table: FuzzTable): (readonly (readonly Cell[])[])[] {
  const own = table.references.filter((reference) => reference.table === table.name)
  if (own.length === 0) return [table.rows]
  const layers: (readonly (readonly Cell[])[])[] = []
  const written = own.map(() => new Set<string>())
  let left = table.rows
  while (left.length > 0) {
    const ready = left.filter((row) =>
      own.every((reference, index) => {
        const key = tupleKey(row, reference.columns)
        return key === undefined || written[index]?.has(key) === true
      }),
    )
    // The remaining rows refer to each other in a cycle.
    if (ready.length === 0) return layers
    for (const row of ready) {
      for (const [index, reference] of own.entries()) {
        const key = tupleKey(row, reference.targets)
        if (key !== undefined) written[index]?.add(key)
      }
    }
    layers.push(ready)
    const done = new Set(ready)
    left = left.filter((row) => !done.has(row))
  }
  return layers
}
