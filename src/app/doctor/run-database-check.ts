import { existsSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { messageOf } from '../../errors.js'
import { schemaVersion } from '../../store/migrate.js'
import { migrations } from '../../store/migrations.js'
import { openStore } from '../../store/store.js'
import { note, ok, problem, projectCheck } from './check.js'
import { checkWritable, displayed, writePermissionFix } from './folder-checks.js'
import { canLoadSqlite, loadSqlite } from './load-sqlite.js'

/** Checks the run database: that it is autotest's, undamaged, of a known version, and writable. */
export const runDatabaseCheck = projectCheck('run database', async (root, { database }) => {
  const path = database ?? join(root, 'reports/autotest.db')
  const shown = displayed(path, root)
  if (!existsSync(path)) {
    const folder = await checkWritable(dirname(path), root)
    return folder.status === 'ok' ? ok(`${shown}: created by the first run`) : folder
  }
  try {
    await access(path, constants.R_OK | constants.W_OK)
  } catch (error) {
    return problem(`${shown} is not writable: ${messageOf(error)}`, writePermissionFix(path, error))
  }
  if (!(await canLoadSqlite())) return note('not checked: SQLite cannot be loaded')
  return (await isOlder(path))
    ? note(`${shown} was created by an older autotest`, 'The next run migrates it and keeps a copy.')
    : ok(`${shown}: ${await latestRun(path)}`)
})

async function isOlder(path: string): Promise<boolean> {
  const Sqlite = await loadSqlite()
  try {
    const database = new Sqlite(path, { readonly: true, fileMustExist: true })
    try {
      const version = schemaVersion(database)
      return version > 0 && version < migrations.length
    } finally {
      database.close()
    }
  } catch (error) {
    // Opening it as a run database gives a more specific error.
    if (error instanceof Sqlite.SqliteError) return false
    throw error
  }
}

async function latestRun(path: string): Promise<string> {
  const store = await openStore(path, { readonly: true, now: () => new Date() })
  try {
    const latest = store.latestRun()
    return latest === undefined ? 'no runs yet' : `last run ${latest.id}`
  } finally {
    store.close()
  }
}
