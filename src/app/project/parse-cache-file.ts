import { createHash } from 'node:crypto'
import { existsSync, lstatSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isErrno } from '../../edit/is-errno.js'
import { ensureStateFolder } from '../../edit/state-folder.js'
import { AutotestError } from '../../errors.js'
import type { Database, Statement } from '../../platform/sqlite.js'
import type { ParseCache } from '../../sql/index.js'
import { createRedactor, type Environment } from '../../text/secrets.js'

/** Maximal size of the file, in bytes; the oldest entries are removed first. */
const defaultMaxBytes = 64 * 1024 * 1024
/** A longer entry is not cached. */
const maxBodyLength = 100_000
/** SQLite's default page size, with which the file is created. */
const pageBytes = 4096
const columns = '(key TEXT PRIMARY KEY, digest TEXT NOT NULL, body TEXT NOT NULL) STRICT'
/** Entries written in one transaction, and their characters. */
const batch = { entries: 500, length: 1_000_000 }
/** A writer's commit takes a few milliseconds; a reader that would wait longer parses instead. */
const lockWaitMs = 100

export interface ParseCacheOptions {
  readonly env: Environment
  readonly mostBytes?: number
}

/**
 * Opens the cache of parsed queries: `.autotest/cache/queries.db` below the project, separate from the run
 * database, safe to delete. Returns undefined if it cannot be used: no run fails or changes its verdicts
 * without it.
 */
export async function openParseCache(
  root: string,
  options: ParseCacheOptions,
): Promise<ParseCacheFile | undefined> {
  const folder = await ensureStateFolder(root, 'cache').catch((error: unknown) => {
    // A read-only project may nevertheless have a cache.
    if (error instanceof AutotestError) return join(root, '.autotest', 'cache')
    throw error
  })
  if (!existsSync(folder)) return undefined
  const path = join(folder, 'queries.db')
  const folders = [join(root, '.autotest'), folder]
  const files = ['', '-journal', '-wal', '-shm'].map((suffix) => path + suffix)
  if (
    !folders.every((each) => isSafePath(each, 'folder')) ||
    !files.every((each) => isSafePath(each, 'file'))
  )
    return undefined
  const most = options.mostBytes ?? defaultMaxBytes
  const { Sqlite } = await import('../../platform/sqlite.js')
  const open = (): Database => {
    const database = openSqlite(Sqlite, path)
    try {
      database.pragma('synchronous = OFF')
      const objects = database.prepare<[], string>("SELECT sql FROM sqlite_schema WHERE sql <> ''").pluck()
      // Another run may be creating it at this moment.
      if (objects.all().length === 0) database.exec(`CREATE TABLE IF NOT EXISTS entry ${columns}`)
      // A view or a trigger of unknown origin would be executed by the first look-up.
      if (objects.all().join() !== `CREATE TABLE entry ${columns}`) throw new UnexpectedSchemaError()
      // Deleted entries free space for new ones, but the file does not shrink.
      if (Number(database.pragma('page_count', { simple: true })) * pageBytes > 2 * most)
        throw new UnexpectedSchemaError()
      return database
    } catch (error) {
      database.close()
      throw error
    }
  }
  return new ParseCacheFile(path, open, most, options.env)
}

/** Opens the file. The driver reports a missing folder by an error without a code. */
function openSqlite(Sqlite: typeof import('../../platform/sqlite.js').Sqlite, path: string): Database {
  try {
    return new Sqlite(path, { timeout: lockWaitMs })
  } catch (cause) {
    throw cause instanceof TypeError ? new CannotOpenError(cause.message, { cause }) : cause
  }
}

class CannotOpenError extends Error {
  readonly code = 'SQLITE_CANTOPEN'
}

/**
 * Reports whether a path is absent, or of the expected type and owned by this user: anyone else who can write
 * it could change parse results.
 */
function isSafePath(path: string, kind: 'file' | 'folder'): boolean {
  try {
    const found = lstatSync(path)
    const isKind = kind === 'file' ? found.isFile() && found.nlink === 1 : found.isDirectory()
    const isWritableByAll = process.platform !== 'win32' && (found.mode & 0o002) !== 0
    return isKind && !isWritableByAll && (process.geteuid === undefined || found.uid === process.geteuid())
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return true
    if (isErrno(error, 'EACCES', 'ENOTDIR', 'EPERM', 'ELOOP')) return false
    throw error
  }
}

/** A file with other content than entries. */
class UnexpectedSchemaError extends Error {
  readonly code = 'SQLITE_ERROR'
}

interface Opened {
  readonly database: Database
  readonly select: Statement<[string], { readonly digest: unknown; readonly body: unknown }>
  readonly insert: Statement<[string, string, string]>
}

/** The open cache. Any fault of the file ends at most its use: the run continues and parses. */
export class ParseCacheFile implements ParseCache {
  readonly #path: string
  readonly #open: () => Database
  readonly #mostBytes: number
  readonly #redact: (text: string) => string
  readonly #pending = new Map<string, string>()
  #pendingLength = 0
  #opened: Opened | undefined
  #state: 'readable' | 'unusable' = 'readable'
  #writable = true

  constructor(path: string, open: () => Database, mostBytes: number, env: Environment) {
    this.#path = path
    this.#open = open
    this.#mostBytes = mostBytes
    this.#redact = createRedactor(env)
    this.#attempt(() => this.#connect())
  }

  get isEmpty(): boolean {
    const found = this.#attempt(() =>
      this.#opened?.database.prepare<[], { readonly key: string }>('SELECT key FROM entry LIMIT 1').get(),
    )
    return found === undefined
  }

  get(key: string): string | undefined {
    const waiting = this.#pending.get(key)
    if (waiting !== undefined) return waiting
    const row = this.#attempt(() => this.#opened?.select.get(key))
    if (typeof row?.body !== 'string') return undefined
    // Bytes that changed on the disk may still be JSON.
    return row.digest === digestOf(key, row.body) ? row.body : undefined
  }

  set(key: string, body: string): void {
    if (!this.#writable || body.length > maxBodyLength || this.#redact(body) !== body) return
    this.#pending.set(key, body)
    this.#pendingLength += body.length
    if (this.#pending.size >= batch.entries || this.#pendingLength >= batch.length) this.#flush()
  }

  /** Writes the remaining new entries. */
  close(): void {
    this.#flush()
    this.#opened?.database.close()
    this.#opened = undefined
    this.#writable = false
  }

  #connect(): Opened {
    const database = this.#open()
    try {
      this.#opened = {
        database,
        select: database.prepare('SELECT digest, body FROM entry WHERE key = ?'),
        insert: database.prepare('INSERT OR REPLACE INTO entry (key, digest, body) VALUES (?, ?, ?)'),
      }
      return this.#opened
    } catch (error) {
      database.close()
      throw error
    }
  }

  #flush(): void {
    const entries = [...this.#pending]
    this.#pending.clear()
    this.#pendingLength = 0
    if (entries.length === 0 || !this.#writable) return
    this.#attempt(() => {
      const { database, insert } = this.#opened ?? this.#connect()
      this.#makeRoom(database)
      database
        .transaction(() => {
          for (const [key, body] of entries) insert.run(key, digestOf(key, body), body)
        })
        .immediate()
    })
  }

  /** Removes the older half of the entries if the file has its maximal size. */
  #makeRoom(database: Database): void {
    const number = (pragma: string): number => Number(database.pragma(pragma, { simple: true }))
    const used = (number('page_count') - number('freelist_count')) * pageBytes
    if (used < this.#mostBytes) return
    database.exec('DELETE FROM entry WHERE rowid <= (SELECT (min(rowid) + max(rowid)) / 2 FROM entry)')
  }

  /** Does an operation on the file, unless the file is no longer used. */
  #attempt<Found>(work: () => Found): Found | undefined {
    if (this.#state === 'unusable') return undefined
    try {
      return work()
    } catch (error) {
      const code = sqliteCode(error)
      if (code === undefined) throw error
      // Another run is writing: this time, the query is parsed.
      if (/^SQLITE_(BUSY|LOCKED)/u.test(code)) return undefined
      // No space, or no permission to write: existing entries can still be read.
      if (/^SQLITE_(FULL|READONLY)/u.test(code) && this.#opened !== undefined) this.#writable = false
      else this.#giveUp(code)
      return undefined
    }
  }

  /**
   * Stops using the file; one that is damaged, or is not a cache, is removed: the next run creates a new one.
   */
  #giveUp(code: string): void {
    this.#state = 'unusable'
    this.#writable = false
    this.#opened?.database.close()
    this.#opened = undefined
    if (!/^SQLITE_(CORRUPT|NOTADB|ERROR|MISMATCH|CONSTRAINT|SCHEMA)/u.test(code)) return
    try {
      for (const suffix of ['', '-journal']) rmSync(this.#path + suffix, { force: true })
    } catch (error) {
      if (!isErrno(error, 'EACCES', 'EPERM', 'EROFS', 'EBUSY')) throw error
    }
  }
}

function digestOf(key: string, body: string): string {
  return createHash('sha256').update(`${key} ${body}`).digest('hex')
}

function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  return error.code.startsWith('SQLITE_') ? error.code : undefined
}
