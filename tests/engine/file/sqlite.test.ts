import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { sqliteKind } from '../../../src/engine/file/sqlite.js'
import { Sqlite as Database } from '../../../src/platform/sqlite.js'
import { contractScript, engineContract, resultOf } from '../../contracts/engine.contract.js'
import { limits, openScript, scratch } from '../temporary-database.js'

const root = mkdtempSync(join(tmpdir(), 'autotest-sqlite-'))
writeFileSync(join(root, 'items.sql'), contractScript)
afterAll(() => rmSync(root, { recursive: true, force: true }))

engineContract('sqlite', {
  open: (concurrency) =>
    sqliteKind.open('items.db', { root, fixture: 'items.sql', concurrency, memoryBytes: 400e6 }),
  greedy:
    "SELECT max(length(x)) FROM (WITH RECURSIVE c(x) AS (SELECT 'a' UNION ALL SELECT x || x FROM c WHERE length(x) < 400000000) SELECT x FROM c)",
  forbidden: [
    'PRAGMA locking_mode=EXCLUSIVE',
    'REINDEX',
    "VACUUM INTO 'copy.db'",
    'WITH t AS (SELECT 1) DELETE FROM items',
  ],
})

const options = { concurrency: 1, memoryBytes: 400e6 }

describe('SQLite values', () => {
  it('are numbers, text and blobs by what a cell holds', async () => {
    const engine = await openScript(sqliteKind, scratch(), 'CREATE TABLE t (a TEXT, b BLOB);')
    const sql = "SELECT 1.0, 0.1, 1e999, x'00ff', '', true, NULL, date('2025-11-01')"
    expect(resultOf(await engine.query(sql, limits)).rows).toEqual([
      [1, 0.1, Infinity, { kind: 'other', type: 'blob', text: '00ff' }, '', 1, null, '2025-11-01'],
    ])
  })

  it('carry the declared type of their column, or that they may be of any', async () => {
    const engine = await openScript(sqliteKind, scratch(), 'CREATE TABLE t (a TEXT, b DECIMAL(10,2), c);')
    const { columns } = resultOf(await engine.query('SELECT a, b, c, 1 + 1 AS d FROM t', limits))
    expect(columns.map((column) => column.type)).toEqual(['TEXT', 'DECIMAL(10,2)', 'ANY', 'ANY'])
  })
})

it.each(['SELECT zeroblob(1000000000)', "SELECT printf('%999999999d', 1)"])(
  'a value above the size limit is treated as out of memory: %s',
  async (sql) => {
    const engine = await openScript(sqliteKind, scratch(), 'CREATE TABLE t (x);')
    expect(await engine.query(sql, limits)).toMatchObject({ kind: 'killed', limit: 'memory' })
  },
)

describe('a double-quoted name in SQLite', () => {
  it('is a column where there is one, else a string', async () => {
    const script = "CREATE TABLE t (name TEXT); INSERT INTO t VALUES ('PP'), ('x');"
    const engine = await openScript(sqliteKind, scratch(), script)
    const sql = 'SELECT "name", "it\'s" FROM t WHERE name = "PP" OR name LIKE "%q%"'
    expect(resultOf(await engine.query(sql, limits)).rows).toEqual([['PP', "it's"]])
    expect(await engine.query('SELECT t."PP" FROM t', limits)).toMatchObject({ kind: 'failed' })
  })
})

describe('a SQLite database', () => {
  it('that is written to between queries is read as it now is', async () => {
    const folder = scratch()
    const engine = await openScript(sqliteKind, folder, 'CREATE TABLE t (x INTEGER);')
    const before = await engine.fingerprint()
    const writer = new Database(join(folder, 'test.db'))
    writer.exec('INSERT INTO t VALUES (7)')
    writer.close()
    expect(resultOf(await engine.query('SELECT x FROM t', limits)).rows).toEqual([[7]])
    expect(await engine.fingerprint()).not.toBe(before)
  })

  it('in WAL mode is queried with what its log holds, and gains no file', async () => {
    const folder = scratch()
    const writer = new Database(join(folder, 'wal.db'))
    writer.pragma('journal_mode = WAL')
    writer.exec('CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (1)')
    // Without the writer's shared-memory file, as after a crash: a reader in place would have to make one.
    const copy = join(folder, 'crashed')
    mkdirSync(copy)
    for (const name of ['wal.db', 'wal.db-wal']) copyFileSync(join(folder, name), join(copy, name))
    writer.close()
    const engine = await sqliteKind.open('wal.db', { root: copy, ...options })
    expect(resultOf(await engine.query('SELECT x FROM t', limits)).rows).toEqual([[1]])
    await engine.close()
    expect(readdirSync(copy).sort()).toEqual(['wal.db', 'wal.db-wal'])
  })

  it('quotes a table name in its catalogue where a query must', async () => {
    const engine = await openScript(sqliteKind, scratch(), 'CREATE TABLE "order items" ("unit price" REAL);')
    expect((await engine.catalogue()).tables).toEqual([
      { name: '"order items"', columns: [{ name: 'unit price', type: 'REAL' }] },
    ])
  })

  it('lists keys and NOT NULL columns in its catalogue', async () => {
    const script = `CREATE TABLE slip (Id INTEGER PRIMARY KEY, emp INTEGER NOT NULL, month TEXT, UNIQUE (emp, month));
      CREATE UNIQUE INDEX paid ON slip (emp) WHERE month = '2025-01';`
    const engine = await openScript(sqliteKind, scratch(), script)
    expect((await engine.catalogue()).tables).toEqual([
      {
        name: 'slip',
        columns: [
          { name: 'Id', type: 'INTEGER', notNull: true },
          { name: 'emp', type: 'INTEGER', notNull: true },
          { name: 'month', type: 'TEXT' },
        ],
        keys: [
          { columns: ['Id'], primary: true },
          { columns: ['emp', 'month'], primary: false },
        ],
      },
    ])
  })

  it.each([
    ['the rowid', 'CREATE TABLE t (k INTEGER PRIMARY KEY)', true],
    ['a text', 'CREATE TABLE t (k TEXT PRIMARY KEY)', undefined],
    ['another number', 'CREATE TABLE t (k INT PRIMARY KEY)', undefined],
    ['declared', 'CREATE TABLE t (k TEXT PRIMARY KEY NOT NULL)', true],
    ['without a rowid', 'CREATE TABLE t (k TEXT PRIMARY KEY) WITHOUT ROWID', true],
  ])(
    'treats a primary key as never NULL only where SQLite enforces it: %s',
    async (_name, script, notNull) => {
      const engine = await openScript(sqliteKind, scratch(), script)
      expect((await engine.catalogue()).tables[0]?.columns[0]?.notNull).toBe(notNull)
    },
  )

  it('keeps its catalogue when a view no longer resolves', async () => {
    const script = 'CREATE TABLE t (x); CREATE VIEW v AS SELECT x FROM t; DROP TABLE t;'
    const engine = await openScript(sqliteKind, scratch(), script)
    expect((await engine.catalogue()).tables).toEqual([{ name: 'v', columns: [] }])
  })

  it('that is damaged behind its header is unavailable', async () => {
    const folder = scratch()
    const header = Buffer.alloc(4096, 0xff)
    header.write('SQLite format 3\0', 'latin1')
    writeFileSync(join(folder, 'bad.db'), header)
    await expect(sqliteKind.open('bad.db', { root: folder, ...options })).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringContaining('bad.db'),
    })
  })

  it('that another process holds exclusively is unavailable, not a wrong answer', async () => {
    const folder = scratch()
    const engine = await openScript(sqliteKind, folder, 'CREATE TABLE t (x INTEGER);')
    const writer = new Database(join(folder, 'test.db'))
    writer.exec('BEGIN EXCLUSIVE')
    await expect(engine.query('SELECT x FROM t', limits)).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: 'test.db: database is locked',
    })
    writer.close()
  })
})
