import { realpathSync, rmSync } from 'node:fs'
import type SqliteDatabase from 'better-sqlite3'
import { AutotestError } from '../errors.js'
import { guarded } from './failure.js'

/**
 * The runs that this process goes on with. Each is held by SQLite's lock on a file beside the run database, which the
 * system frees when the process dies, whatever ended it.
 */
export class RunLocks {
  readonly #Sqlite: typeof SqliteDatabase
  readonly #path: string
  readonly #held = new Map<string, SqliteDatabase.Database>()

  /** @param path of the run database, which is there */
  constructor(Sqlite: typeof SqliteDatabase, path: string) {
    this.#Sqlite = Sqlite
    this.#path = realpathSync(path)
  }

  /** Holds a run until `close`. Throws `project_locked` where another process does. */
  hold(runId: string): void {
    if (this.#held.has(runId)) return
    const lock = this.#lock(runId)
    if (lock === undefined) {
      throw new AutotestError('project_locked', `run ${runId} still goes on in another process`, {
        hint: 'Wait for it or stop it.',
      })
    }
    this.#held.set(runId, lock)
  }

  /** Whether this process or another holds the run. */
  isHeld(runId: string): boolean {
    if (this.#held.has(runId)) return true
    const lock = this.#lock(runId)
    if (lock !== undefined) this.#release(runId, lock)
    return lock === undefined
  }

  close(): void {
    for (const [runId, lock] of this.#held) this.#release(runId, lock)
    this.#held.clear()
  }

  #lock(runId: string): SqliteDatabase.Database | undefined {
    return guarded(this.#path, () => {
      const lock = new this.#Sqlite(this.#fileOf(runId), { timeout: 0 })
      try {
        lock.exec('BEGIN EXCLUSIVE')
        return lock
      } catch (error) {
        lock.close()
        if (error instanceof this.#Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY'))
          return undefined
        throw error
      }
    })
  }

  #release(runId: string, lock: SqliteDatabase.Database): void {
    // While it is still held: a file that another process made in its place would be that one's.
    rmSync(this.#fileOf(runId), { force: true })
    lock.close()
  }

  #fileOf(runId: string): string {
    return `${this.#path}-${runId}.lock`
  }
}
