import { beforeAll, describe, expect, it } from 'vitest'
import { compareQueryPair } from '../../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../../src/sql/parser.js'
import { comparePair } from '../../dialect-pairs.js'
import { type Engine, type QuerySetting, querySetting, rowsOf } from '../../in-memory-databases.js'

const ddl = 'CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, c INTEGER NOT NULL);'
const rows = 'INSERT INTO t VALUES (1, 5, 2), (2, NULL, 1), (3, 7, 9), (4, 1, 4), (5, NULL, 3);'

let setting: QuerySetting
beforeAll(async () => {
  setting = await querySetting(ddl, [rows])
})

/** What is told of one text in SQLite, where NULLs come first, and in DuckDB, where they come last. */
function kindOf(sql: string): string {
  const [expected, generated] = (['sqlite', 'duckdb'] as const).map((dialect) => ({ sql, dialect }))
  if (expected === undefined || generated === undefined) throw new Error('There are two dialects')
  return compareQueryPair(setting.parser, expected, generated, { schema: setting.schema }).kind
}

async function areSame(sql: string): Promise<boolean> {
  const given = (engine: Engine) => rowsOf(setting.runs.get(engine) ?? [], sql)
  const [one, other] = [await given('sqlite'), await given('duckdb')]
  expect(one).toBeDefined()
  return one === other
}

describe('what orders a window in two databases', () => {
  it.each([
    'SELECT id, count(*) OVER (ORDER BY id) AS n FROM t',
    'SELECT id, row_number() OVER (ORDER BY c DESC, id) AS n FROM t',
    'SELECT id, row_number() OVER (ORDER BY d DESC) AS n FROM (SELECT id, c + 1 AS d FROM t) AS q',
  ])('has no place for NULLs where a column is never NULL: %s', async (sql) => {
    expect(await areSame(sql)).toBe(true)
    expect(kindOf(sql)).toBe('equal')
  })

  it.each([
    'SELECT id, row_number() OVER (ORDER BY a, id) AS n FROM t',
    'SELECT t.id, row_number() OVER (ORDER BY u.id, t.id) AS n FROM t LEFT JOIN t AS u ON u.c = t.id AND u.c > 2',
    'SELECT id, row_number() OVER (ORDER BY d) AS n FROM (SELECT id, nullif(c, 4) AS d FROM t) AS q',
  ])('has one where it may be: %s', async (sql) => {
    expect(await areSame(sql)).toBe(false)
    expect(kindOf(sql)).toBe('equal_if')
  })

  it('has one in rows of subtotals', () => {
    const grouped = (by: string): string => `SELECT c, rank() OVER (ORDER BY c) AS n FROM t GROUP BY ${by}`
    const kind = compareQueryPair(
      setting.parser,
      { sql: grouped('ROLLUP(c)'), dialect: 'postgres' },
      { sql: grouped('c WITH ROLLUP'), dialect: 'mysql' },
      { schema: setting.schema },
    ).kind
    expect(kind).toBe('equal_if')
  })
})

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('the place of NULLs', () => {
  it.each([
    [
      'postgres: SELECT a FROM t ORDER BY b NULLS LAST',
      'mysql: SELECT a FROM t ORDER BY b',
      'orders the rows',
    ],
    [
      'postgres: SELECT lag(a) OVER (ORDER BY b) FROM t',
      'mysql: SELECT lag(a) OVER (ORDER BY b) FROM t',
      'orders the rows of a window',
    ],
    [
      'postgres: SELECT lag(a) OVER (ORDER BY b) FROM t',
      'postgres: SELECT lag(a) OVER (ORDER BY b NULLS FIRST) FROM t',
      undefined,
    ],
    ['duckdb: SELECT a FROM t ORDER BY b NULLS FIRST', 'duckdb: SELECT a FROM t ORDER BY b', undefined],
  ])('is a question of two dialects only where there are NULLs: %s, %s', (expected, generated, words) => {
    const finding = comparePair(parser, expected, generated)
    const assumed = { kind: 'equal_if', assumptions: [expect.stringContaining(words ?? '')] }
    expect(finding).toMatchObject(words === undefined ? { kind: 'different' } : assumed)
  })
})
