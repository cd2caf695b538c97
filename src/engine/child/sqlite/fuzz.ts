import { rmSync } from 'node:fs'
import { type Database, Sqlite } from '../../../platform/sqlite.js'
import type { CopySpec } from '../../contract/copy-spec.js'
import { fuzz } from '../../fuzz/fuzz.js'
import type { Cell, FuzzTable } from '../../fuzz/fuzz-table.js'
import { requiredTables } from '../../fuzz/required-tables.js'
import { rowsPerTable } from '../../fuzz/sample-size.js'
import { randomFrom } from '../../fuzz/seeded-random.js'
import { quoteName, quoteText } from '../../query/quote-names.js'
import { EngineFault, type FuzzRequest } from '../protocol.js'
import { createSqliteCheckProbe } from './check-constraint-probe.js'
import { copyDeclarations } from './declared-columns.js'
import { readTables, type SqliteTable } from './read-tables.js'

/** Rows are read in runs of this length if a table has more than are kept. */
const runLength = 50

/** Writes a fuzzed copy of an SQLite database. */
export async function fuzzSqlite(source: string, request: FuzzRequest): Promise<void> {
  const from = new Sqlite(source, { readonly: true, fileMustExist: true, timeout: 2000 })
  try {
    const tables = readTables(from)
    const picked = selectTables(from, tables, request.spec)
    const sizes = picked.map(({ shape }) => ({
      rows: countRows(from, shape.name, request.rows),
      columns: shape.columns.length,
    }))
    const rows = rowsPerTable(sizes, request)
    const read = picked.map((table) => ({
      ...table.shape,
      rows: readRows(from, table, { spec: request.spec, rows }),
    }))
    const definitions = from
      .prepare<[], { table: string; sql: string; type: string }>(
        "SELECT tbl_name AS \"table\", sql, type FROM sqlite_schema WHERE type = 'view' OR (type = 'index' AND sql LIKE 'CREATE UNIQUE%')",
      )
      .all()
      .filter(({ table, type }) => type === 'view' || picked.some(({ shape }) => shape.name === table))
      .map(({ sql }) => sql)
    const rehearsal = createSqliteCheckProbe(picked)
    try {
      const fuzzed = await fuzz(read, request.spec, rehearsal.accepts)
      writeDatabase(picked, fuzzed, definitions, request.target, from)
    } finally {
      rehearsal.close()
    }
  } finally {
    from.close()
  }
}

/** Returns the tables whose rows are read. */
function selectTables(db: Database, tables: readonly SqliteTable[], spec: CopySpec): readonly SqliteTable[] {
  if (spec.tables === undefined) return tables
  const views = db
    .prepare<[], { name: string; sql: string }>(
      "SELECT lower(name) AS name, sql FROM sqlite_schema WHERE type = 'view'",
    )
    .all()
  const wanted = requiredTables(spec.tables, tables, views)
  return tables.filter(({ shape }) => wanted.has(shape.name))
}

/**
 * Counts rows of a table, at most `most`: counting all of a large one would take longer than reading some.
 */
function countRows(db: Database, table: string, most: number): number {
  return (
    db
      .prepare<[], number>(`SELECT count(*) FROM (SELECT 1 FROM ${quoteName(table)} LIMIT ${most})`)
      .pluck()
      .get() ?? 0
  )
}

function readRows(db: Database, table: SqliteTable, request: Pick<FuzzRequest, 'spec' | 'rows'>): Cell[][] {
  const names = table.shape.columns.map((column) => quoteName(column.name)).join(', ')
  const select = `SELECT ${names} FROM ${quoteName(table.shape.name)}`
  const rowsOf = (sql: string, ...parameters: bigint[]): Cell[][] =>
    db
      .prepare<bigint[], unknown[]>(sql)
      .raw(true)
      .safeIntegers(true)
      .all(...parameters)
      .map((row) => row.map(toCell))
  if (!table.rowid) return rowsOf(`${select} LIMIT ${request.rows}`)
  const all = rowsOf(`${select} ORDER BY rowid LIMIT ${request.rows + 1}`)
  if (all.length <= request.rows) return all
  // Scanning a large table would take longer than everything else: reads runs of rows from all over it.
  const last = db
    .prepare<[], bigint>(`SELECT max(rowid) FROM ${quoteName(table.shape.name)}`)
    .pluck()
    .safeIntegers(true)
    .get()
  const random = randomFrom(`${request.spec.seed}/sample/${table.shape.name}`)
  const sample = new Map<string, Cell[]>()
  for (let at = 0; at < request.rows / runLength; at++) {
    const start = BigInt(Math.floor(random.next() * Number(last ?? 0n)))
    const run = rowsOf(
      `SELECT rowid, ${names} FROM ${quoteName(table.shape.name)} WHERE rowid >= ? ORDER BY rowid LIMIT ${runLength}`,
      start,
    )
    for (const [rowid, ...row] of run) sample.set(String(rowid), row)
  }
  return [...sample.values()]
}

function writeDatabase(
  tables: readonly SqliteTable[],
  fuzzed: readonly FuzzTable[],
  definitions: readonly string[],
  target: string,
  from: Database,
): void {
  const to = new Sqlite(target)
  try {
    to.pragma('synchronous = OFF')
    to.pragma('journal_mode = MEMORY')
    to.pragma('foreign_keys = OFF')
    to.transaction(() => {
      for (const table of tables) to.exec(table.sql)
      copyDeclarations(from, to)
      for (const sql of definitions) to.exec(sql)
      for (const table of fuzzed) insert(to, table)
      for (const table of fuzzed) removeOrphans(to, table.name)
    })()
  } catch (error) {
    rmSync(target, { force: true })
    throw error
  } finally {
    to.close()
  }
}

/**
 * Inserts rows. SQLite itself skips rows that break a constraint unknown here, such as one that ignores case.
 */
function insert(db: Database, table: FuzzTable): void {
  if (table.rows.length === 0) return
  const names = table.columns.map((column) => quoteName(column.name)).join(', ')
  const marks = table.columns.map(() => '?').join(', ')
  const statement = db.prepare(`INSERT OR IGNORE INTO ${quoteName(table.name)} (${names}) VALUES (${marks})`)
  for (const row of table.rows) statement.run(...row)
}

function removeOrphans(db: Database, table: string): void {
  for (;;) {
    const orphans = orphansOf(db, table)
    if (orphans.length === 0) return
    if (orphans.includes(null)) throw new EngineFault(`references of ${table} cannot be kept`)
    const remove = db.prepare(`DELETE FROM ${quoteName(table)} WHERE rowid = ?`)
    for (const rowid of orphans) remove.run(rowid)
  }
}

/** Returns row ids of rows with dangling references; null for those of a table without row ids. */
function orphansOf(db: Database, table: string): (bigint | null)[] {
  try {
    return db
      .prepare<[], bigint | null>(`SELECT "rowid" FROM pragma_foreign_key_check(${quoteText(table)})`)
      .pluck()
      .safeIntegers(true)
      .all()
  } catch (error) {
    // SQLite never checks a reference to columns that are not a key.
    if (error instanceof Sqlite.SqliteError && /foreign key mismatch/.test(error.message)) return []
    throw error
  }
}

function toCell(value: unknown): Cell {
  if (value === null || typeof value === 'bigint' || typeof value === 'number' || typeof value === 'string')
    return value
  if (value instanceof Uint8Array) return value
  throw new Error(`unexpected cell of type ${typeof value}`)
}
