import { setTimeout as pause } from 'node:timers/promises'
import { AutotestError } from '../errors.js'
import type { Database } from '../platform/sqlite.js'
import { toStoreError, withStoreErrors } from './sqlite-errors.js'
import { syncWal } from './sync-wal.js'

/** Rows wait at most this long, or until this number is reached: each transaction takes its time. */
const batchMs = 50
const batchRows = 64
/** Calls that end within this share a transaction. */
const groupCommitMs = 2

/**
 * Writes that wait to share a transaction. Once written they survive the end of this process; they survive a
 * power failure slightly later, because the disk is flushed on another thread.
 */
export class WriteBatch {
  readonly #path: string
  readonly #database: Database
  readonly #logged: boolean
  #waiting: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined
  #group: Promise<void> | undefined
  #syncing: Promise<void> | undefined
  #unsyncedRows = false
  /** Error of a sync, which is not awaited. */
  #fault: unknown

  /** @param logged whether the database writes a log, which can be synced separately */
  constructor(path: string, database: Database, logged: boolean) {
    this.#path = path
    this.#database = database
    this.#logged = logged
  }

  /** Adds a write, which is made within 50 ms, or by `flush`. */
  add(write: () => void): void {
    this.#waiting.push(write)
    if (this.#waiting.length >= batchRows) this.#flushAndSync()
    else this.#timer ??= setTimeout(() => this.#flushInTime(), batchMs)
  }

  /** Writes pending rows in one transaction. Those that could not be written stay pending. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting.length > 0)
      withStoreErrors(this.#path, () => (this.#logged ? this.#unsynced() : this.#writeAll()))
    this.#waiting = []
    const fault = this.#fault
    this.#fault = undefined
    if (fault !== undefined) throw toStoreError(fault, this.#path)
  }

  /** Resolves once everything added survives the end of this process. */
  whenDurable(): Promise<void> {
    this.#group ??= this.#saveGroup()
    return this.#group
  }

  /** Makes everything added survive the end of this process before it returns. */
  saveNow(): void {
    this.#flushAndSync()
  }

  async #saveGroup(): Promise<void> {
    await pause(groupCommitMs)
    this.#group = undefined
    this.#flushAndSync()
  }

  #writeAll(): void {
    this.#database
      .transaction(() => {
        for (const write of this.#waiting) write()
      })
      .immediate()
  }

  /** Commits without syncing, which only appends to the log: this thread does not wait for the disk. */
  #unsynced(): void {
    this.#database.pragma('synchronous = NORMAL')
    try {
      this.#writeAll()
    } finally {
      this.#database.pragma('synchronous = FULL')
    }
  }

  /** Runs one sync at a time: what is written in the meantime is synced by the next. */
  #flushAndSync(): void {
    this.flush()
    if (!this.#logged) return
    this.#unsyncedRows = true
    this.#syncing ??= this.#syncAll()
  }

  async #syncAll(): Promise<void> {
    try {
      while (this.#unsyncedRows) {
        this.#unsyncedRows = false
        await syncWal(this.#path)
      }
    } catch (error) {
      this.#fault = error
    } finally {
      this.#syncing = undefined
    }
  }

  /**
   * Flushes by a timer, whose error nobody would catch: the rows stay pending, and the next flush reports it.
   */
  #flushInTime(): void {
    try {
      this.#flushAndSync()
    } catch (error) {
      if (!(error instanceof AutotestError)) throw error
    }
  }
}
