import type { Sqlite as SqliteBuild } from '../../platform/sqlite.js'

/**
 * Loads SQLite on first use. Throws `installation_incomplete` if that fails, so that it becomes a line and
 * not a crash.
 */
export async function loadSqlite(): Promise<typeof SqliteBuild> {
  return (await import('../../platform/sqlite.js')).Sqlite
}

/** Reports whether SQLite can be loaded; why it cannot is reported by another check. */
export async function canLoadSqlite(): Promise<boolean> {
  return loadSqlite().then(
    () => true,
    () => false,
  )
}
