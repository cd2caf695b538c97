import { createRequire } from 'node:module'
import type BetterSqlite from 'better-sqlite3'
import { messageOf } from '../errors.js'
import { sqliteDriver, sqliteInstaller, sqliteProblem } from './sqlite-driver.js'

export type { Database, Statement } from 'better-sqlite3'

/** The build of better-sqlite3 that the running Node can load. */
export const Sqlite: typeof BetterSqlite = load()

function load(): typeof BetterSqlite {
  if (sqliteInstaller() !== undefined) throw sqliteProblem('it is not compiled yet')
  try {
    const loaded = createRequire(import.meta.url)(sqliteDriver) as typeof BetterSqlite
    // Its binary is loaded with the first database: a fault is reported here, and not as a bug of autotest.
    new loaded(':memory:').close()
    return loaded
  } catch (error) {
    throw sqliteProblem(messageOf(error).split('\n')[0] ?? '', error)
  }
}
