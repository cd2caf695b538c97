import { messageOf } from '../../../errors.js'
import { type Database, Sqlite, type Statement } from '../../../platform/sqlite.js'
import { blank } from '../../../sql-text/scan.js'
import type { Catalogue, Column, QueryOutcome, Value } from '../../contract/engine.js'
import { refusalByLeadingKeyword } from '../../query/leading-keyword-check.js'
import { quoteIfNeeded } from '../../query/quote-names.js'
import { RowCollector, toExactInteger } from '../../query/row-collector.js'
import { type ChildDriver, EngineFault, type Session } from '../protocol.js'
import { rewriteDoubleQuotedName } from './double-quoted-strings.js'
import { fuzzSqlite } from './fuzz.js'
import { injectSqliteValues } from './inject-values.js'
import { type ColumnRow, keysOf } from './read-tables.js'
import { reorderSqliteRows } from './reorder-rows.js'

/** How long a reader waits for a writer of another process, in milliseconds. */
const busyMs = 2000

const keywords = ['SELECT', 'WITH', 'VALUES']

/** SQLite in the child. Each statement gets a separate connection, which costs 0.06 ms. */
export const sqliteDriver: ChildDriver = {
  open(path: string): Session {
    // Reads the schema, so that a corrupt file is reported now and not by the first query.
    catalogueOf(path)
    return {
      query: (sql, caps) => run(caps.database ?? path, sql, caps),
      fuzz: (request) => fuzzSqlite(path, request),
      reorderRows: reorderSqliteRows,
      injectValues: injectSqliteValues,
      explain: (sql) => run(path, sql, undefined),
      catalogue: () => catalogueOf(path),
      isTainted: () => false,
    }
  },

  build(script: string, target: string): void {
    rejectAttachAndVacuum(script)
    const db = new Sqlite(target)
    try {
      // The file is private until it is renamed, so that waiting for the disk is unnecessary.
      db.pragma('synchronous = OFF')
      db.exec(script)
    } finally {
      db.close()
    }
  },
}

function connect(path: string): Database {
  return new Sqlite(path, { readonly: true, fileMustExist: true, timeout: busyMs })
}

/** Runs a statement; without caps it is only prepared, which resolves every name in it. */
function run(path: string, sql: string, caps: { rows: number; bytes: number } | undefined): QueryOutcome {
  const refusal = refusalByLeadingKeyword(sql, keywords, 'sqlite')
  if (refusal !== undefined) return { kind: 'refused', message: refusal }
  const started = performance.now()
  let db: Database | undefined
  try {
    db = connect(path)
    const statement = prepare(db, sql)
    if (!statement.reader || !statement.readonly) {
      return { kind: 'refused', message: 'the statement is not read-only' }
    }
    statement.raw(true).safeIntegers(true)
    const columns: readonly Column[] = statement
      .columns()
      // An expression has no declared type; its values have theirs, none of which is a date.
      .map((column) => ({ name: column.name, type: column.type ?? 'ANY' }))
    const collector = new RowCollector(columns, caps ?? { rows: 0, bytes: 0 })
    if (caps !== undefined) {
      for (const row of statement.iterate()) if (!collector.add(row.map(toValue))) break
    }
    return { kind: 'rows', result: collector.result(), ms: performance.now() - started }
  } catch (error) {
    return outcomeOf(error)
  } finally {
    db?.close()
  }
}

/** Prepares a statement, treating unresolved double-quoted names as strings. */
function prepare(db: Database, sql: string): Statement<[], unknown[]> {
  try {
    return db.prepare<[], unknown[]>(sql)
  } catch (error) {
    const rewritten = rewriteDoubleQuotedName(sql, messageOf(error))
    if (rewritten === undefined) throw error
    return prepare(db, rewritten)
  }
}

/** Returns the outcome of an error that the statement caused; rethrows an error of the engine. */
function outcomeOf(error: unknown): QueryOutcome {
  const message = messageOf(error)
  // better-sqlite3's own check, which runs before SQLite sees a second statement.
  if (/more than one statement|contains no statements/.test(message)) {
    return { kind: 'refused', message: 'only a single SELECT statement is allowed' }
  }
  const code = error instanceof Sqlite.SqliteError ? error.code : ''
  // A value above SQLite's size limit is treated like one for which there was no memory.
  if (code === 'SQLITE_NOMEM' || code === 'SQLITE_TOOBIG') return { kind: 'killed', limit: 'memory', message }
  if (/^SQLITE_(BUSY|LOCKED|CORRUPT|NOTADB|IOERR|CANTOPEN|READONLY|PROTOCOL|PERM)/.test(code)) {
    throw new EngineFault(message, error)
  }
  return { kind: 'failed', message }
}

function toValue(cell: unknown): Value {
  if (typeof cell === 'bigint') return toExactInteger(cell)
  if (cell === null || typeof cell === 'number' || typeof cell === 'string') return cell
  if (cell instanceof Uint8Array) {
    return { kind: 'other', type: 'blob', text: Buffer.from(cell).toString('hex') }
  }
  throw new Error(`unexpected cell of type ${typeof cell}`)
}

const keyIndex = `SELECT count(*) FROM pragma_index_list(?) WHERE origin = 'pk'`

interface TableInfo extends Column, ColumnRow {}

function catalogueOf(path: string): Catalogue {
  const db = connect(path)
  try {
    const names = db
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
      )
      .pluck()
      .all()
    const info = db.prepare<[string], TableInfo>(
      'SELECT name, type, "notnull", pk FROM pragma_table_info(?) ORDER BY cid',
    )
    return {
      tables: names.map((name) => {
        const columns = columnsOf(info, name)
        const keys = keysOf(db, name, columns).map((key) => ({
          columns: key.flatMap((at) => columns[at]?.name ?? []),
          primary: key.every((at) => columns[at]?.pk !== 0),
        }))
        // A primary key without an index is the rowid, the only kind that is NOT NULL without being declared
        // so.
        const isRowid = db.prepare(keyIndex).pluck().get(name) === 0
        return {
          name: quoteIfNeeded(name),
          columns: columns.map(({ name: column, type, notnull, pk }) => ({
            name: column,
            type,
            ...(notnull === 1 || (pk > 0 && isRowid) ? { notNull: true } : {}),
          })),
          ...(keys.length > 0 ? { keys } : {}),
        }
      }),
    }
  } finally {
    db.close()
  }
}

/** Returns the columns of a table or view; none for a view that cannot be resolved any more. */
function columnsOf(statement: Statement<[string], TableInfo>, name: string): readonly TableInfo[] {
  try {
    return statement.all(name)
  } catch (error) {
    if (error instanceof Sqlite.SqliteError && error.code === 'SQLITE_ERROR') return []
    throw error
  }
}

/** Rejects two statements with which a fixture script would write to other files than its own database. */
function rejectAttachAndVacuum(script: string): void {
  const code = blank(script, 'sqlite', ['comment', 'text', 'name'])
  const found = /\b(?:attach|vacuum)\b/i.exec(code)?.[0]
  if (found !== undefined) throw new EngineFault(`${found.toUpperCase()} is not allowed in a fixture script`)
}
