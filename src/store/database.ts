import { closeSync, existsSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { AutotestError, messageOf } from '../errors.js'
import { makeFolder } from '../platform/make-folder.js'
import type { Database } from '../platform/sqlite.js'
import { applicationId, migrate, schemaVersion } from './migrate.js'
import { migrations } from './migrations.js'
import { RunLocks } from './run-locks.js'
import { isCorruption, toStoreError, withStoreErrors } from './sqlite-errors.js'

/** How long a statement waits for another process's lock, in milliseconds. */
const lockWaitMs = 2000
/** Checking every page costs 1 to 12 ms per MiB; in larger files damage is found when a page is read. */
const fullCheckBytes = 2 * 1024 * 1024

export interface OpenedDatabase {
  readonly database: Database
  /** Writes are appended to a write-ahead log, which can be synced separately. */
  readonly isWal: boolean
  readonly locks: RunLocks
  /** Notes for the user, such as a damaged file that was renamed. */
  readonly notices: readonly string[]
}

/**
 * Opens the run database, creates or migrates it, and renames a damaged one. Throws `store_unavailable` for a
 * newer schema, a file of another program, a locked or unwritable one, and, when only reading, for a missing
 * one.
 */
export async function openDatabase(path: string, readonly: boolean, now: Date): Promise<OpenedDatabase> {
  const stamp = now.toISOString().replaceAll(/[-:.]/g, '')
  withStoreErrors(path, () => prepareFolder(path, readonly))
  const notices: string[] = []
  const fault = withStoreErrors(path, () => nonSqliteReason(path))
  if (fault !== undefined) {
    if (readonly || !/\.(db|sqlite3?)$/i.test(path)) throw foreignDatabaseError(path, fault)
    notices.push(quarantine(path, stamp, fault))
  }
  try {
    return { ...(await connect(path, readonly, stamp)), notices }
  } catch (error) {
    if (readonly || !isCorruption(error)) throw toStoreError(error, path)
    notices.push(quarantine(path, stamp, messageOf(error)))
  }
  try {
    return { ...(await connect(path, readonly, stamp)), notices }
  } catch (error) {
    throw toStoreError(error, path)
  }
}

function prepareFolder(path: string, readonly: boolean): void {
  if (!readonly) prepareNew(path)
  else if (!existsSync(path)) {
    throw new AutotestError('store_unavailable', `${path}: there is no run database`, {
      hint: '`autotest` records runs there; use --db FILE to read another one.',
    })
  }
}

function prepareNew(path: string): void {
  try {
    makeFolder(dirname(path))
  } catch (cause) {
    throw new AutotestError(
      'store_unavailable',
      `${path}: its folder cannot be created: ${messageOf(cause)}`,
      {
        hint: 'Free disk space, or record this run elsewhere: --db FILE.',
        cause,
      },
    )
  }
}

/** Returns why the file cannot be SQLite's, or undefined if it is, or is missing or empty. */
function nonSqliteReason(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  if (!statSync(path).isFile()) throw foreignDatabaseError(path, 'it is not a file')
  const start = Buffer.alloc(16)
  const file = openSync(path, 'r')
  try {
    const length = readSync(file, start, 0, 16, 0)
    return length === 0 || start.toString('latin1') === 'SQLite format 3\0'
      ? undefined
      : 'file is not a database'
  } finally {
    closeSync(file)
  }
}

async function connect(
  path: string,
  readonly: boolean,
  stamp: string,
): Promise<Omit<OpenedDatabase, 'notices'>> {
  const { Sqlite } = await import('../platform/sqlite.js')
  let database: Database | undefined
  try {
    database = new Sqlite(path, { readonly, fileMustExist: readonly, timeout: lockWaitMs })
    checkOwner(database, path)
    if (statSync(path).size <= fullCheckBytes) checkPages(database)
    let logged = false
    if (readonly) checkMigrated(database, path)
    else {
      logged = database.pragma('journal_mode = WAL', { simple: true }) === 'wal'
      database.pragma('synchronous = FULL')
      database.pragma('foreign_keys = ON')
      migrate(database, `${path}.backup-v${schemaVersion(database)}-${stamp}`)
    }
    return { database, isWal: logged, locks: new RunLocks(Sqlite, path) }
  } catch (error) {
    database?.close()
    throw error
  }
}

function checkOwner(database: Database, path: string): void {
  const owner = Number(database.pragma('application_id', { simple: true }))
  const objects = database.prepare<[], { count: number }>('SELECT count(*) AS count FROM sqlite_schema').get()
  const blank = owner === 0 && schemaVersion(database) === 0 && objects?.count === 0
  if (!blank && owner !== applicationId) throw foreignDatabaseError(path, 'it belongs to another program')
  if (schemaVersion(database) > migrations.length) {
    throw new AutotestError(
      'store_unavailable',
      `${path}: created by a newer autotest (schema ${schemaVersion(database)}, this version supports ${migrations.length})`,
      { hint: 'Update autotest, or record runs elsewhere: --db FILE.' },
    )
  }
}

function checkMigrated(database: Database, path: string): void {
  if (schemaVersion(database) === migrations.length) return
  throw new AutotestError(
    'store_unavailable',
    `${path}: this version of autotest has not recorded a run yet`,
    {
      hint: 'Run `autotest` once: it migrates the file and keeps a copy.',
    },
  )
}

function checkPages(database: Database): void {
  const found = String(database.pragma('quick_check(1)', { simple: true }))
  if (found !== 'ok') throw new DamagedPages(found)
}

/** Damage that SQLite reports as a row and not as an error. */
class DamagedPages extends Error {
  readonly code = 'SQLITE_CORRUPT'
}

function foreignDatabaseError(path: string, why: string): AutotestError {
  return new AutotestError('store_unavailable', `${path}: not a run database of autotest (${why})`, {
    hint: 'It was not changed. Choose another file with --db FILE.',
  })
}

/** Renames a damaged file together with its log and index, or SQLite would replay them into the new file. */
function quarantine(path: string, stamp: string, why: string): string {
  const aside = `${path}.corrupt-${stamp}`
  withStoreErrors(path, () => {
    for (const suffix of ['', '-wal', '-shm']) {
      if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
    }
  })
  return `${path} was damaged (${why}); it was renamed to ${aside}, and a new one was created`
}
