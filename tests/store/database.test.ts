import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Sqlite } from '../../src/platform/sqlite.js'
import { applicationId, migrate, schemaVersion } from '../../src/store/migrate.js'
import { migrations } from '../../src/store/migrations.js'
import { openStore } from '../../src/store/store.js'
import { asOrdinaryUser } from '../ordinary-user.js'
import { caseRecord, run } from '../report/fixtures.js'

const now = (): Date => new Date('2026-11-20T10:11:12Z')
let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'autotest-store-'))
  path = join(folder, 'reports', 'autotest.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function storeWithRun(): Promise<string> {
  const store = await openStore(path, { now })
  const id = store.createRun(run)
  store.recordCases(
    id,
    Array.from({ length: 200 }, (_, at) =>
      caseRecord(`case_${at}`, { position: at, question: 'x'.repeat(500) }),
    ),
  )
  store.close()
  return id
}

const unavailable = (message: RegExp, hint = /./): unknown =>
  expect.objectContaining({
    code: 'store_unavailable',
    message: expect.stringMatching(message),
    hint: expect.stringMatching(hint),
  })

describe('opening the run database', () => {
  it('makes folder and file, in WAL mode with full synchronisation, marked as its own', async () => {
    const id = await storeWithRun()
    const database = new Sqlite(path, { readonly: true })
    expect(database.pragma('application_id', { simple: true })).toBe(applicationId)
    expect(database.pragma('user_version', { simple: true })).toBe(migrations.length)
    expect(database.pragma('journal_mode', { simple: true })).toBe('wal')
    database.close()
    const again = await openStore(path, { now, readonly: true })
    expect(again.runDetail(id)?.cases).toHaveLength(200)
    expect(again.notices).toEqual([])
    again.close()
  })

  it('takes an empty file for a blank one', async () => {
    await storeWithRun()
    truncateSync(path)
    const store = await openStore(path, { now })
    expect(store.notices).toEqual([])
    expect(store.listRuns({ limit: 5 })).toEqual([])
    store.close()
  })

  it('refuses a newer schema and leaves the file as it was', async () => {
    await storeWithRun()
    const database = new Sqlite(path)
    database.pragma('user_version = 99')
    database.close()
    const before = readFileSync(path)
    await expect(openStore(path, { now })).rejects.toEqual(
      unavailable(/created by a newer autotest/, /Update/),
    )
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  it('refuses a database of another program, marked or not', async () => {
    for (const mark of [0, 42]) {
      const other = join(folder, `other-${mark}.db`)
      const database = new Sqlite(other)
      database.exec('CREATE TABLE customers (id)')
      database.pragma(`application_id = ${mark}`)
      database.close()
      const before = readFileSync(other)
      await expect(openStore(other, { now })).rejects.toEqual(unavailable(/not a run database/, /--db/))
      expect(readFileSync(other).equals(before)).toBe(true)
    }
  })

  it('refuses a file that is no database by its name either, and does not move it', async () => {
    const readme = join(folder, 'README.md')
    writeFileSync(readme, '# mine')
    await expect(openStore(readme, { now })).rejects.toEqual(unavailable(/not a run database/))
    expect(readdirSync(folder)).toEqual(['README.md'])
  })

  it.each([
    ['overwritten', (file: string) => writeFileSync(file, 'garbage '.repeat(1000))],
    ['cut', (file: string) => truncateSync(file, Math.floor(statSync(file).size / 2))],
    [
      'scribbled over',
      (file: string) => {
        const bytes = readFileSync(file)
        bytes.fill(0xa5, 4096 * 2, bytes.length - 4096)
        writeFileSync(file, bytes)
      },
    ],
  ])('sets a file aside that was %s, says so, and begins a new one', async (_how, damage) => {
    await storeWithRun()
    damage(path)
    const damaged = readFileSync(path)
    const store = await openStore(path, { now })
    const aside = `${path}.corrupt-20261120T101112000Z`
    expect(store.notices).toEqual([expect.stringContaining(aside)])
    expect(readFileSync(aside).equals(damaged)).toBe(true)
    expect(store.createRun(run)).toMatch(/^r-/)
    store.close()
  })

  it('only reports a damaged file when reading', async () => {
    await storeWithRun()
    writeFileSync(path, 'garbage')
    await expect(openStore(path, { now, readonly: true })).rejects.toEqual(unavailable(/not a run database/))
    expect(readFileSync(path, 'utf8')).toBe('garbage')
  })

  it('makes nothing when reading where there is no database', async () => {
    await expect(openStore(path, { now, readonly: true })).rejects.toEqual(unavailable(/no run database/))
    expect(existsSync(join(folder, 'reports'))).toBe(false)
  })

  it('says that another process holds the database', async () => {
    await storeWithRun()
    const holder = new Sqlite(path)
    holder.pragma('locking_mode = EXCLUSIVE')
    holder.exec('BEGIN EXCLUSIVE')
    await expect(openStore(path, { now })).rejects.toEqual(unavailable(/locked by another process/, /--db/))
    holder.close()
  })

  it('says where it may not write', async () => {
    writeFileSync(join(folder, 'file'), '')
    await expect(openStore(join(folder, 'file', 'autotest.db'), { now })).rejects.toEqual(
      unavailable(/file\/autotest\.db/, /--db/),
    )
    await expect(openStore(folder, { now })).rejects.toEqual(unavailable(/not a file/))
  })

  it('says that a folder is read-only', async () => {
    chmodSync(folder, 0o500)
    await asOrdinaryUser(folder, () =>
      expect(openStore(path, { now })).rejects.toEqual(unavailable(/its folder cannot be created/, /--db/)),
    )
    chmodSync(folder, 0o700)
  })

  it('says that the file is read-only', async () => {
    await storeWithRun()
    chmodSync(path, 0o400)
    await asOrdinaryUser(folder, async () => {
      const store = await openStore(path, { now })
      expect(() => store.createRun(run)).toThrow(/cannot be opened or written/)
      await store.close()
    })
  })
})

describe('migrations', () => {
  const next = 'ALTER TABLE runs ADD COLUMN machine TEXT'

  it('bring an older file up to date, keep its rows and a copy of it', async () => {
    const id = await storeWithRun()
    const database = new Sqlite(path)
    migrate(database, `${path}.backup`, [...migrations, next])
    expect(schemaVersion(database)).toBe(migrations.length + 1)
    expect(database.prepare('SELECT id, machine FROM runs').all()).toEqual([{ id, machine: null }])
    database.close()
    const backup = await openStore(`${path}.backup`, { now, readonly: true })
    expect(backup.runDetail(id)?.cases).toHaveLength(200)
    backup.close()
  })

  it('leave the file as it was when a step fails', async () => {
    await storeWithRun()
    const database = new Sqlite(path)
    expect(() =>
      migrate(database, `${path}.backup`, [...migrations, `${next}; SELECT nothing FROM nowhere`]),
    ).toThrow()
    expect(schemaVersion(database)).toBe(migrations.length)
    expect(() => database.prepare('SELECT machine FROM runs')).toThrow()
    database.close()
  })

  it('make no copy of a blank file, nor of one that is up to date', async () => {
    await storeWithRun()
    await storeWithRun()
    expect(readdirSync(join(folder, 'reports')).filter((name) => name.includes('backup'))).toEqual([])
  })

  it('let two processes open a blank file at once', async () => {
    const stores = await Promise.all([openStore(path, { now }), openStore(path, { now })])
    expect(stores.map((store) => store.createRun(run)).length).toBe(2)
    for (const store of stores) store.close()
  })
})

describe('a process killed while it writes', () => {
  it('leaves whole batches, and a summary that counts the rows there are', async () => {
    const built = new URL('../../build/modules/store/store.js', import.meta.url).href
    const script = `
      const { openStore } = await import(${JSON.stringify(built)})
      const store = await openStore(${JSON.stringify(path)}, { now: () => new Date() })
      const record = ${JSON.stringify(caseRecord('x'))}
      const id = store.createRun(${JSON.stringify({ ...run, total: 100000 })})
      for (let at = 0; at < 100000; at++) {
        store.recordCases(id, [{ ...record, caseId: 'case_' + at, position: at }])
        if (at === 1000) console.log(id)
      }`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [output] = await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const store = await openStore(path, { now })
    const id = String(output).trim()
    const cases = store.runDetail(id)?.cases ?? []
    const [listed] = store.listRuns({ limit: 1 })
    expect(store.notices).toEqual([])
    expect(cases.length).toBeGreaterThanOrEqual(960)
    expect(cases.length % 64).toBe(0)
    expect(listed?.counts.passed).toBe(cases.length)
    expect(cases.at(-1)?.position).toBe(cases.length - 1)
    store.close()
  })
})
