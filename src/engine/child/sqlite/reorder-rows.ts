import { type Database, Sqlite } from '../../../platform/sqlite.js'
import { quoteName } from '../../query/quote-names.js'
import type { ReorderRequest } from '../protocol.js'

interface TableRow {
  readonly name: string
  readonly sql: string
  readonly strict: number
}

/** Name of the column that numbers rows while they are read; no table has it. */
const place = '"autotest place"'

/** Multiplier of the generator of Park and Miller, which scatters row numbers. */
const multiplier = 48_271

/**
 * Writes a copy with its rows reversed, or in an order determined by the seed, and without keys: rows with an
 * integer key are stored in its order. What determines how values compare, types and collations, is kept.
 */
export function reorderSqliteRows({ copy, target, seed }: ReorderRequest): void {
  const from = new Sqlite(copy, { readonly: true, fileMustExist: true, timeout: 2000 })
  const to = new Sqlite(target)
  try {
    to.pragma('synchronous = OFF')
    to.pragma('journal_mode = MEMORY')
    const tables = from
      .prepare<[], TableRow>(
        `SELECT t.name, s.sql, t.strict FROM pragma_table_list t JOIN sqlite_schema s ON s.name = t.name AND s.type = 'table'
         WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
      )
      .all()
    const views = from.prepare<[], string>("SELECT sql FROM sqlite_schema WHERE type = 'view'").pluck().all()
    to.transaction(() => {
      for (const table of tables) writeTable(from, to, table, seed)
      // Without its integer key a table has other row ids.
      for (const sql of views) if (!/\b(?:_?rowid_?|oid)\b/iu.test(sql)) to.exec(sql)
    })()
  } finally {
    to.close()
    from.close()
  }
}

function writeTable(from: Database, to: Database, table: TableRow, seed: number | undefined): void {
  const columns = defineWithoutKeys(to, table)
  const names = columns.join(', ')
  const insert = to.prepare(
    `INSERT INTO ${quoteName(table.name)} (${names}) VALUES (${columns.map(() => '?').join(', ')})`,
  )
  const order =
    seed === undefined ? `${place} DESC` : `${place} * ${multiplier + 2 * seed} % 2147483647 % 65521`
  const rows = from
    .prepare<[], unknown[]>(
      `SELECT ${names} FROM (SELECT *, row_number() OVER () AS ${place} FROM ${quoteName(table.name)}) ORDER BY ${order}`,
    )
    .raw(true)
    .safeIntegers(true)
  for (const row of rows.iterate()) insert.run(...row)
}

/**
 * Creates the table with the types and collations of its columns and nothing else; returns their quoted
 * names.
 */
function defineWithoutKeys(to: Database, { name, sql, strict }: TableRow): readonly string[] {
  // Only an index shows the collation of a column.
  to.exec(sql)
  const columns = to
    .prepare<[string], { name: string; type: string }>(
      'SELECT name, type FROM pragma_table_xinfo(?) ORDER BY cid',
    )
    .all(name)
  to.exec(
    `CREATE INDEX "autotest collations" ON ${quoteName(name)} (${columns.map((column) => quoteName(column.name)).join(', ')})`,
  )
  const collations = to
    .prepare<[], string>(
      "SELECT coll FROM pragma_index_xinfo('autotest collations') WHERE key = 1 ORDER BY seqno",
    )
    .pluck()
    .all()
  to.exec(`DROP TABLE ${quoteName(name)}`)
  const defined = columns.map(
    (column, at) =>
      `${quoteName(column.name)} ${column.type} COLLATE ${quoteName(collations[at] ?? 'BINARY')}`,
  )
  to.exec(`CREATE TABLE ${quoteName(name)} (${defined.join(', ')})${strict === 1 ? ' STRICT' : ''}`)
  return columns.map((column) => quoteName(column.name))
}
