import { spawn } from 'node:child_process'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { duckdbKind } from '../../../src/engine/file/duckdb.js'
import { contractScript, engineContract, resultOf } from '../../contracts/engine.contract.js'
import { limits, openScript, scratch } from '../temporary-database.js'

const root = mkdtempSync(join(tmpdir(), 'autotest-duckdb-'))
writeFileSync(join(root, 'items.sql'), contractScript)
afterAll(() => rmSync(root, { recursive: true, force: true }))

engineContract('duckdb', {
  open: (concurrency) =>
    duckdbKind.open('items.duckdb', { root, fixture: 'items.sql', concurrency, memoryBytes: 400e6 }),
  greedy: 'SELECT list(i) FROM range(1000000000) t(i)',
  forbidden: [
    'CALL enable_logging()',
    'SET threads = 4',
    'PRAGMA enable_profiling',
    'PIVOT items ON id USING count(*); SELECT 1',
    'PIVOT items ON id USING count(*); CREATE TEMP TABLE items AS SELECT 1',
    '/* /* */ SELECT */ CREATE TEMP TABLE t AS SELECT 1; SELECT 1',
    "COPY items TO 'items.csv'",
  ],
})

describe('DuckDB', () => {
  it('runs PIVOT, which it executes as two statements', async () => {
    const engine = await openScript(
      duckdbKind,
      scratch(),
      "CREATE TABLE a AS SELECT * FROM (VALUES ('p'), ('q'), ('q')) t(x);",
    )
    const { columns, rows } = resultOf(await engine.query('PIVOT a ON x USING count(*)', limits))
    expect(columns.map((column) => column.name)).toEqual(['p', 'q'])
    expect(rows).toEqual([[1, 2]])
  })

  it('keeps the tag of a union, also inside other values', async () => {
    const engine = await openScript(duckdbKind, scratch(), 'CREATE TABLE a (x INTEGER);')
    const one = 'union_value(n := 1)'
    const sql = `SELECT ${one} AS u, [${one}] AS l, {'a': union_value(s := 'x')} AS s, MAP {'k': ${one}} AS m`
    const { rows } = resultOf(await engine.query(sql, limits))
    expect(rows[0]?.map((cell) => (typeof cell === 'object' ? cell?.text : cell))).toEqual([
      "{'union n': 1}",
      "[{'union n': 1}]",
      "{'a': {'union s': 'x'}}",
      "{'k': {'union n': 1}}",
    ])
  })

  it('qualifies tables outside the default schema', async () => {
    const engine = await openScript(
      duckdbKind,
      scratch(),
      'CREATE SCHEMA traffic; CREATE TABLE traffic.visits (a1 BIGINT);',
    )
    expect((await engine.catalogue()).tables).toEqual([
      { name: 'traffic.visits', columns: [{ name: 'a1', type: 'BIGINT' }] },
    ])
  })

  it('lists keys and NOT NULL columns in its catalogue', async () => {
    const script =
      'CREATE TABLE slip (Id INTEGER PRIMARY KEY, emp INTEGER NOT NULL, month VARCHAR, UNIQUE (emp, month));'
    const engine = await openScript(duckdbKind, scratch(), script)
    const { tables } = await engine.catalogue()
    expect(tables.map(({ columns }) => columns)).toEqual([
      [
        { name: 'Id', type: 'INTEGER', notNull: true },
        { name: 'emp', type: 'INTEGER', notNull: true },
        { name: 'month', type: 'VARCHAR' },
      ],
    ])
    expect(tables[0]?.keys).toContainEqual({ columns: ['Id'], primary: true })
    expect(tables[0]?.keys).toContainEqual({ columns: ['emp', 'month'], primary: false })
  })

  it('reads the file that now stands at its path', async () => {
    const folder = scratch()
    const engine = await openScript(duckdbKind, folder, 'CREATE TABLE t AS SELECT 1 AS x;')
    const other = scratch()
    await openScript(duckdbKind, other, 'CREATE TABLE t AS SELECT 2 AS x;')
    renameSync(join(other, 'test.db'), join(folder, 'test.db'))
    expect(resultOf(await engine.query('SELECT x FROM t', limits)).rows).toEqual([[2]])
  })

  it('names the process that has the database open for writing', async () => {
    const folder = scratch()
    await openScript(duckdbKind, folder, 'CREATE TABLE t AS SELECT 1 AS x;').then((engine) => engine.close())
    const code = `const { DuckDBInstance } = await import('@duckdb/node-api')
      globalThis.kept = await DuckDBInstance.create(${JSON.stringify(join(folder, 'test.db'))})
      console.log('open')
      setInterval(() => {}, 1000)`
    const writer = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void writer.kill())
    await new Promise((resolve) => writer.stdout.once('data', resolve))
    const opening = duckdbKind.open('test.db', { root: folder, concurrency: 1, memoryBytes: 400e6 })
    await expect(opening).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: `test.db: it is open for writing in another process (PID ${writer.pid})`,
    })
  })
})
