import { Sqlite } from '../../../platform/sqlite.js'
import type { CheckConstraintProbe } from '../../fuzz/check-constraints.js'
import { quoteName } from '../../query/quote-names.js'
import type { SqliteTable } from './read-tables.js'

/**
 * A database in memory in which rows are tested before they are written, each alone in its table as declared.
 */
interface SqliteCheckProbe {
  readonly accepts: CheckConstraintProbe
  close(): void
}

export function createSqliteCheckProbe(tables: readonly SqliteTable[]): SqliteCheckProbe {
  const db = new Sqlite(':memory:')
  db.pragma('foreign_keys = OFF')
  for (const { sql, shape } of tables) if (shape.checks.length > 0) db.exec(sql)
  const accepts: CheckConstraintProbe = ({ name, columns }, rows) => {
    const names = columns.map((column) => quoteName(column.name)).join(', ')
    const marks = columns.map(() => '?').join(', ')
    const insert = db.prepare(`INSERT OR IGNORE INTO ${quoteName(name)} (${names}) VALUES (${marks})`)
    const empty = db.prepare(`DELETE FROM ${quoteName(name)}`)
    return db.transaction(() =>
      rows.map((row) => {
        try {
          const { changes } = insert.run(...row)
          if (changes > 0) empty.run()
          return changes > 0
        } catch (error) {
          // A strict table, or a condition that cannot be evaluated for such a value.
          if (error instanceof Sqlite.SqliteError) return false
          throw error
        }
      }),
    )()
  }
  return { accepts, close: () => void db.close() }
}
