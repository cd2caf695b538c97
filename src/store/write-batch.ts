import { setTimeout as pause } from 'node:timers/promises'
import { AutotestError } from '../errors.js'
import type { Database } from '../platform/sqlite.js'
import { toStoreError, withStoreErrors } from './sqlite-errors.js'
import { syncWal } from './sync-wal.js'

/** Rows wait at most this long, or until so many are there: each transaction takes its time. */
const batchMs = 50
const batchRows = 64
/** Calls that end within this share a transaction. */
const groupCommitMs = 2

/**
 * Writes that wait for others to share a transaction with. Once written they survive this process, however it ends; a
 * power cut they survive a moment later, because the disk is flushed on another thread.
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
  /** Of a sync, which nobody waits for. */
  #fault: unknown

  /** @param logged whether the database writes a log, which can be synced apart from writing */
  constructor(path: string, database: Database, logged: boolean) {
    this.#path = path
    this.#database = database
    this.#logged = logged
  }

  /** Written within 50 ms, or by `flush`. */
  add(write: () => void): void {
    this.#waiting.push(write)
    if (this.#waiting.length >= batchRows) this.#flushAndSync()
    else this.#timer ??= setTimeout(() => this.#flushInTime(), batchMs)
  }

  /** Writes what waits, in one transaction. What could not be written waits on. */
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

  /** Resolves once all that was added survives this process, however it ends. */
  whenDurable(): Promise<void> {
    this.#group ??= this.#saveGroup()
    return this.#group
  }

  /** Has all that was added survive this process before anything else happens. */
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

  /** A commit that only appends to the log: this thread has better to do than wait for the disk. */
  #unsynced(): void {
    this.#database.pragma('synchronous = NORMAL')
    try {
      this.#writeAll()
    } finally {
      this.#database.pragma('synchronous = FULL')
    }
  }

  /** One sync at a time: what is written meanwhile is synced by the next. */
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

  /** Nobody would catch an error of a timer: the rows wait on, and the next flush tells what is wrong. */
  #flushInTime(): void {
    try {
      this.#flushAndSync()
    } catch (error) {
      if (!(error instanceof AutotestError)) throw error
    }
  }
}
