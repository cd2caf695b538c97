import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { instanceChangingPattern } from '../../../../src/engine/child/duckdb/sandbox.js'
import type { Engine } from '../../../../src/engine/contract/engine.js'
import { duckdbKind } from '../../../../src/engine/file/duckdb.js'
import { resultOf } from '../../../contracts/engine.contract.js'
import { limits } from '../../temporary-database.js'

const root = mkdtempSync(join(tmpdir(), 'autotest-duckdb-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

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
      message: expect.stringMatching(/changes settings of the database|cannot be judged/),
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
