import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AutotestError } from '../../src/errors.js'
import { Sqlite } from '../../src/platform/sqlite.js'
import { syncWal } from '../../src/store/sync-wal.js'
import { WriteBatch } from '../../src/store/write-batch.js'

let folder = ''
let path = ''
let database: InstanceType<typeof Sqlite>
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'autotest-batch-'))
  path = join(folder, 'a.db')
  database = new Sqlite(path)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.exec('CREATE TABLE rows (value INTEGER)')
})
afterEach(() => {
  database.close()
  rmSync(folder, { recursive: true, force: true })
})

const insert = (value: number) => () => {
  database.prepare('INSERT INTO rows VALUES (?)').run(value)
}

/** Reads the file as another process would. */
function rowsInFile(): number {
  const other = new Sqlite(path, { readonly: true })
  const row = other.prepare<[], { count: number }>('SELECT count(*) AS count FROM rows').get()
  other.close()
  return row?.count ?? 0
}

describe.each([true, false])('writes that are waited for, with a log to sync: %s', (logged) => {
  it('are in the file once `saved` resolves, and share one transaction', async () => {
    const batch = new WriteBatch(path, database, logged)
    const all = [1, 2, 3].map((value) => {
      batch.add(insert(value))
      return batch.whenDurable()
    })
    expect(new Set(all).size).toBe(1)
    expect(rowsInFile()).toBe(0)
    await Promise.all(all)
    expect(rowsInFile()).toBe(3)
  })

  it('are in the file before `save` returns, with all that waited', () => {
    const batch = new WriteBatch(path, database, logged)
    batch.add(insert(1))
    batch.add(insert(2))
    batch.saveNow()
    expect(rowsInFile()).toBe(2)
    expect(database.pragma('synchronous', { simple: true })).toBe(2)
  })

  it('are waited for also where they come while an earlier group is written', async () => {
    const batch = new WriteBatch(path, database, logged)
    for (let value = 1; value <= 30; value++) {
      batch.add(insert(value))
      const saved = batch.whenDurable()
      if (value % 3 === 0) await saved.then(() => expect(rowsInFile()).toBeGreaterThanOrEqual(value))
      else await new Promise((resolve) => setImmediate(resolve))
    }
  })

  it('leave every other write as durable as it was', async () => {
    const batch = new WriteBatch(path, database, logged)
    batch.add(insert(1))
    await batch.whenDurable()
    // 2 is FULL.
    expect(database.pragma('synchronous', { simple: true })).toBe(2)
  })

  it('are refused, and wait on, where another process holds the file', async () => {
    database.pragma('busy_timeout = 20')
    const batch = new WriteBatch(path, database, logged)
    const other = new Sqlite(path)
    other.exec('BEGIN IMMEDIATE')
    batch.add(insert(1))
    await expect(batch.whenDurable()).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(database.pragma('synchronous', { simple: true })).toBe(2)
    other.exec('ROLLBACK')
    other.close()
    await batch.whenDurable()
    expect(rowsInFile()).toBe(1)
  })
})

it('tells at the next write that the disk could not be synced', async () => {
  const batch = new WriteBatch(join(path, 'no-folder'), database, true)
  batch.add(insert(1))
  await batch.whenDurable()
  await expect
    .poll(
      () => {
        try {
          batch.flush()
          return 'fine'
        } catch (error) {
          return error instanceof AutotestError ? error.code : error
        }
      },
      { timeout: 2000 },
    )
    .toBe('store_unavailable')
})

describe('syncing the log', () => {
  it('takes no lock from the connection that writes', async () => {
    database.exec('BEGIN IMMEDIATE')
    await syncWal(path)
    const other = new Sqlite(path, { timeout: 20 })
    expect(() => other.exec('BEGIN IMMEDIATE')).toThrowError(/locked/)
    other.close()
    database.exec('COMMIT')
  })

  it('has nothing to do once the database was closed', async () => {
    database.close()
    await expect(syncWal(path)).resolves.toBeUndefined()
  })

  it('tells of a log that cannot be synced', async () => {
    await expect(syncWal(join(path, 'no-folder'))).rejects.toMatchObject({ code: 'ENOTDIR' })
  })
})
