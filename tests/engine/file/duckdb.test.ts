import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { instanceChangingPattern } from '../../../src/engine/child/duckdb/sandbox.js'
import type { Engine } from '../../../src/engine/contract/engine.js'
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

describe('DuckDB values', () => {
  it.each([
    ["DATE '2025-11-01'", { kind: 'date', text: '2025-11-01' }],
    ["TIMESTAMP '2025-11-01 10:11:12'", { kind: 'timestamp', text: '2025-11-01 10:11:12' }],
    ["TIMESTAMP '2025-11-01 10:11:12.5'", { kind: 'timestamp', text: '2025-11-01 10:11:12.5' }],
    ["'2025-11-01 10:11:12'::TIMESTAMP_S", { kind: 'timestamp', text: '2025-11-01 10:11:12' }],
    ["'2025-11-01 10:11:12.25'::TIMESTAMP_MS", { kind: 'timestamp', text: '2025-11-01 10:11:12.25' }],
    [
      "'2025-11-01 10:11:12.123456789'::TIMESTAMP_NS",
      { kind: 'timestamp', text: '2025-11-01 10:11:12.123456789' },
    ],
    ["'2025-11-01 10:11:12+02'::TIMESTAMPTZ", { kind: 'timestamp', text: '2025-11-01 08:11:12+00' }],
    ['1.50::DECIMAL(10,2)', { kind: 'decimal', text: '1.50' }],
    ['-0.05::DECIMAL(38,2)', { kind: 'decimal', text: '-0.05' }],
    ['170141183460469231731687303715884105727::HUGEINT', 170141183460469231731687303715884105727n],
    ['7::HUGEINT', 7],
    ['sum(1)', 1],
    ['true', true],
    ["'nan'::DOUBLE", Number.NaN],
    ["'infinity'::DOUBLE", Infinity],
    ["'b'::ENUM('a', 'b')", 'b'],
    ["TIME '10:00:00'", { kind: 'other', type: 'TIME', text: '10:00:00' }],
    ['[1, 2]', { kind: 'other', type: 'INTEGER[]', text: '[1, 2]' }],
    ['\'{"a": 1}\'::JSON', '{"a": 1}'],
    ['NULL', null],
  ])('%s', async (expression, value) => {
    const engine = await valuesEngine()
    expect(resultOf(await engine.query(`SELECT ${expression}`, limits)).rows).toEqual([[value]])
  })

  const folder = mkdtempSync(join(tmpdir(), 'autotest-values-'))
  writeFileSync(join(folder, 'empty.sql'), 'CREATE TABLE t (x INTEGER);')
  let opened: ReturnType<typeof duckdbKind.open> | undefined
  const valuesEngine = () => {
    opened ??= duckdbKind.open('values.duckdb', {
      root: folder,
      fixture: 'empty.sql',
      concurrency: 1,
      memoryBytes: 400e6,
    })
    return opened
  }
  afterAll(async () => {
    await (await opened)?.close()
    rmSync(folder, { recursive: true, force: true })
  })
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

describe('an instance that serves all queries', () => {
  const folder = mkdtempSync(join(tmpdir(), 'autotest-leaks-'))
  let engine: Engine
  beforeAll(async () => {
    writeFileSync(join(folder, 'a.sql'), 'CREATE TABLE a AS SELECT range AS x FROM range(3);')
    engine = await duckdbKind.open('a.db', {
      root: folder,
      fixture: 'a.sql',
      concurrency: 1,
      memoryBytes: 400e6,
    })
  })
  afterAll(async () => {
    await engine.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it.each([
    ['the whole log', 'SELECT * FROM enable_logging()', 'SELECT count(*) FROM duckdb_logs', 0],
    [
      'a log on standard output',
      "SELECT * FROM enable_logging(storage='stdout')",
      "SELECT current_setting('enable_logging')",
      0,
    ],
    ['a log in a file', "SELECT * FROM enable_logging(storage='file', storage_path='LOGS')", 'SELECT 1', 1],
    [
      'profiling',
      'SELECT * FROM enable_profiling()',
      "SELECT coalesce(current_setting('enable_profiling'), 'off')",
      'off',
    ],
    [
      'an enum of PIVOT',
      'PIVOT a ON x USING count(*)',
      "SELECT count(*) FROM duckdb_types() WHERE type_name LIKE '%pivot%'",
      0,
    ],
    ['a temporary table', 'CREATE TEMP TABLE a AS SELECT 9 AS x', 'SELECT max(x) FROM a', 2],
    ['a temporary macro', 'CREATE TEMP MACRO sum(x) AS 42', 'SELECT sum(x) FROM a', 3],
    ['a setting', 'SET threads = 7', "SELECT current_setting('threads')", 1],
    ['a prepared statement', 'PREPARE p AS SELECT 1', 'SELECT count(*) FROM duckdb_prepared_statements()', 0],
  ])('carries over nothing to the next query: %s', async (_, first, second, expected) => {
    await engine.query(first.replace('LOGS', join(folder, 'logs')), limits)
    expect(resultOf(await engine.query(second, limits)).rows).toEqual([[expected]])
    expect(existsSync(join(folder, 'logs'))).toBe(false)
    // Asked together, the second waits in the pipe of the child that the first leaves changed.
    const before = engine.query(first.replace('LOGS', join(folder, 'logs')), limits)
    const behind = engine.query(second, limits)
    await before
    expect(resultOf(await behind).rows).toEqual([[expected]])
  })
})

it('a SELECT that changes the whole instance is refused, and gives no rows', async () => {
  writeFileSync(join(root, 'one.sql'), 'CREATE TABLE one AS SELECT 1 AS x;')
  const options = { root, fixture: 'one.sql', concurrency: 1, memoryBytes: 400e6 }
  const engine = await duckdbKind.open('one.duckdb', options)
  for (const sql of ['FROM enable_logging()', "FROM query('FROM enable_log' || 'ging()')"])
    expect(await engine.query(sql, limits)).toEqual({
      kind: 'refused',
      message: 'the statement changes settings of the database',
    })
  expect(await engine.query('SELECT query FROM (SELECT 1 AS query)', limits)).toMatchObject({ kind: 'rows' })
  await engine.close()
})

it('every function of DuckDB that does more than read causes the settings to be checked', async () => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const reader = await connection.runAndReadAll(
    `SELECT DISTINCT function_name FROM duckdb_functions()
     WHERE function_type IN ('table', 'pragma', 'table_macro') OR has_side_effects`,
  )
  const names = reader.getRows().map(([name]) => String(name))
  connection.closeSync()
  instance.closeSync()
  expect(names.length).toBeGreaterThan(100)
  const unknown = names.filter((name) => !instanceChangingPattern.test(name) && !reading.test(name))
  expect(unknown.sort()).toEqual([])
})

/** Functions that read files, lists or the catalogue, and generators of values. */
const reading =
  /^(?:(?:arrow|parquet|read|duckdb|json|pg|icu|seq)_\w+|\w*scan\w*|(?:show|database|table|metadata|storage|all)\w*|add_parquet_key|collations|platform|user_agent|version|functions|generate_series|range|glob|repeat\w*|sniff_csv|sql_auto_complete|summary|test_\w+|unnest|which_secret|histogram\w*|sleep_ms|stats|error|random|uuid\w*|gen_random_uuid|setseed|nextval|currval|current_\w+)$/
