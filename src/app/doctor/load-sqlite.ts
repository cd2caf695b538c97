import type { Sqlite as SqliteBuild } from '../../platform/sqlite.js'

/** SQLite, loaded when it is asked for. Throws `installation_incomplete` where it cannot be: that is a line and no crash. */
export async function loadSqlite(): Promise<typeof SqliteBuild> {
  return (await import('../../platform/sqlite.js')).Sqlite
}

/** Whether what is built on it can be looked at; why it cannot be loaded has a line of its own. */
export async function canLoadSqlite(): Promise<boolean> {
  return loadSqlite().then(
    () => true,
    () => false,
  )
}
