import { existsSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { AutotestError } from '../errors.js'
import type { Database, Sqlite as SqliteBuild } from '../platform/sqlite.js'
import { withStoreErrors } from './sqlite-errors.js'

/** How long another process that tests a lock may have it, in milliseconds. */
const probeTimeoutMs = 200

/**
 * The runs that this process executes. Each is locked by SQLite's lock on a file beside the run database,
 * which the system releases when the process dies, whatever ended it.
 */
export class RunLocks {
  readonly #Sqlite: typeof SqliteBuild
  readonly #path: string
  readonly #held = new Map<string, Database>()

  /** @param path of the run database, which exists */
  constructor(Sqlite: typeof SqliteBuild, path: string) {
    this.#Sqlite = Sqlite
    this.#path = realpathSync(path)
  }

  /** Locks a run until `close`. Throws `project_locked` if another process has the lock. */
  hold(runId: string): void {
    if (this.#held.has(runId)) return
    const lock = this.#lock(runId, probeTimeoutMs)
    if (lock === undefined) {
      throw new AutotestError('project_locked', `run ${runId} is still running in another process`, {
        hint: 'Wait for it or stop it.',
      })
    }
    this.#held.set(runId, lock)
  }

  /** Reports whether this process or another has locked the run. */
  isHeld(runId: string): boolean {
    if (this.#held.has(runId)) return true
    if (!existsSync(this.#fileOf(runId))) return false
    const lock = this.#lock(runId, 0)
    if (lock !== undefined) this.#release(runId, lock)
    return lock === undefined
  }

  /** Removes lock files of killed runs, as far as possible: they do no harm. */
  removeStaleLocks(): void {
    const start = `${basename(this.#path)}-`
    try {
      for (const name of readdirSync(dirname(this.#path))) {
        if (!name.startsWith(start)) continue
        const runId = /^(?<id>r-[0-9a-f]+)\.lock$/u.exec(name.slice(start.length))?.groups?.['id']
        if (runId !== undefined) this.isHeld(runId)
      }
    } catch (error) {
      if (!(error instanceof Error)) throw error
    }
  }

  close(): void {
    for (const [runId, lock] of this.#held) this.#release(runId, lock)
    this.#held.clear()
  }

  #lock(runId: string, waitMs: number): Database | undefined {
    const path = this.#fileOf(runId)
    return withStoreErrors(this.#path, () => {
      for (;;) {
        const found = inodeOf(path)
        const lock = new this.#Sqlite(path, { timeout: waitMs })
        try {
          lock.exec('BEGIN EXCLUSIVE')
          // The last owner may have removed the file since it was opened: a lock on a removed file is
          // useless.
          if (found !== undefined && inodeOf(path) === found) return lock
          lock.close()
        } catch (error) {
          lock.close()
          if (error instanceof this.#Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY'))
            return undefined
          throw error
        }
      }
    })
  }

  #release(runId: string, lock: Database): void {
    // Removed while still locked: later it could be a file that another process created in its place.
    rmSync(this.#fileOf(runId), { force: true })
    lock.close()
  }

  #fileOf(runId: string): string {
    return `${this.#path}-${runId}.lock`
  }
}

/** Returns the inode; undefined if the file does not exist. */
function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino
}
