import { copyFile } from 'node:fs/promises'
import { Sqlite } from '../../../platform/sqlite.js'
import { injectValues } from '../../fuzz/inject-values.js'
import type { InjectionTarget } from '../../fuzz/injection-target.js'
import { quoteName } from '../../query/quote-names.js'
import type { InjectRequest } from '../protocol.js'
import { readTables } from './read-tables.js'

/** Writes a copy of an SQLite copy with values injected into it. */
export async function injectSqliteValues({ copy, target, values, spread }: InjectRequest): Promise<void> {
  await copyFile(copy, target)
  const db = new Sqlite(target)
  try {
    db.pragma('synchronous = OFF')
    db.pragma('journal_mode = MEMORY')
    db.pragma('foreign_keys = ON')
    /** Returns undefined if SQLite rejects the statement; any other error is a fault of the file or a bug. */
    const unlessRefused = <T>(run: () => T): T | undefined => {
      try {
        return run()
      } catch (error) {
        const code = error instanceof Sqlite.SqliteError ? error.code : ''
        if (isForeignKeyMismatch(error) || !/^SQLITE_(?:CONSTRAINT|ERROR|MISMATCH|TOOBIG)/u.test(code))
          throw error
        return undefined
      }
    }
    const update = 'UPDATE OR IGNORE'
    const database: InjectionTarget = {
      updateClause: update,
      jsonPatch: 'json_patch',
      run(sql) {
        try {
          unlessRefused(() => db.exec(sql))
        } catch (error) {
          if (!isForeignKeyMismatch(error)) throw error
          // With foreign keys off, references of a new row would not be checked.
          if (!sql.startsWith(update)) return
          db.pragma('foreign_keys = OFF')
          unlessRefused(() => db.exec(sql))
          db.pragma('foreign_keys = ON')
        }
      },
      queryTexts: (sql) => unlessRefused(() => db.prepare<[], string>(sql).pluck().all()),
      storedText: ({ text }) => text,
    }
    const tables = readTables(db).map(({ name, rowid, shape }) => ({
      name,
      quoted: quoteName(shape.name),
      rowKey: rowid ? ['rowid'] : (shape.keys[0] ?? []).map((at) => quoteName(shape.columns[at]?.name ?? '')),
      shape,
    }))
    await injectValues(database, tables, values, spread)
  } finally {
    db.close()
  }
}

/**
 * Reports a reference to columns that are not a key: SQLite writes to neither table while it enforces
 * references.
 */
function isForeignKeyMismatch(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && /foreign key mismatch/u.test(error.message)
}
