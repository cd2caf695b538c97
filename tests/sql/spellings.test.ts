import { DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, it } from 'vitest'
import { Sqlite } from '../../src/platform/sqlite.js'
import { compareQueries } from '../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../src/sql/parser.js'
import { parseSchema } from '../../src/sql/tables/load-schema.js'

const duckdbScript = `CREATE TABLE t (a INTEGER, s VARCHAR, l INTEGER[], d DATE);
  INSERT INTO t VALUES (1, 'due', [3, 4], '2025-01-02'), (1, 'overdue', [5], '2025-01-09'), (2, 'paid', [], NULL),
    (NULL, NULL, NULL, '2024-12-31'), (2, 'Due', [NULL, 7], '2025-01-02');`
const sqliteScript = `CREATE TABLE t (a INTEGER NOT NULL, b INTEGER, j TEXT);
  INSERT INTO t VALUES (1, 5, '{"x": 1, "y": {"z": "k"}}'), (2, NULL, '{"x": "1", "y": {"z": 2.50}}'), (3, 7, '{"x": [1, 2]}'),
    (3, 5, '{"x": true}'), (4, NULL, NULL), (5, NULL, '{"x": null}');`

let parser: SqlParser
const runs = new Map<string, (sql: string) => Promise<readonly string[]>>()
beforeAll(async () => {
  parser = await loadSqlParser()
  const duckdb = await (await DuckDBInstance.create(':memory:')).connect()
  await duckdb.run(duckdbScript)
  runs.set('duckdb', async (sql) =>
    (await duckdb.runAndReadAll(sql)).getRowsJson().map((row) => JSON.stringify(row)),
  )
  const sqlite = new Sqlite(':memory:')
  sqlite.exec(sqliteScript)
  runs.set('sqlite', async (sql) =>
    sqlite
      .prepare(sql)
      .raw(true)
      .all()
      .map((row) => JSON.stringify(row)),
  )
})

async function compared(dialect: 'duckdb' | 'sqlite', one: string, other: string) {
  const script = dialect === 'duckdb' ? duckdbScript : sqliteScript
  const schema = parseSchema(parser, script.slice(0, script.indexOf(';') + 1), dialect)
  const run = runs.get(dialect)
  const [left, right] = await Promise.all([run?.(one), run?.(other)])
  const ordered = /ORDER BY (?:ALL|[\d, ]+)(?: DESC)?$/u.test(one)
  const bag = (rows: readonly string[] = []): readonly string[] => (ordered ? rows : [...rows].sort())
  return {
    kinds: [
      compareQueries(parser, one, other, dialect, { schema }).kind,
      compareQueries(parser, other, one, dialect, { schema }).kind,
    ],
    left: bag(left),
    right: bag(right),
  }
}

describe('two spellings of one query', () => {
  it.each<['duckdb' | 'sqlite', string, string]>([
    ['duckdb', 'SELECT s, a, count(*) FROM t GROUP BY ALL', 'SELECT s, a, count(*) FROM t GROUP BY 1, 2'],
    [
      'duckdb',
      'SELECT a + 1 AS n, sum(a) * 2 FROM t GROUP BY ALL HAVING n > 1',
      'SELECT a + 1, sum(a) * 2 FROM t GROUP BY 1 HAVING a + 1 > 1',
    ],
    ['duckdb', 'SELECT sum(a), max(s) FROM t GROUP BY ALL', 'SELECT sum(a), max(s) FROM t'],
    ['duckdb', "SELECT 'x', sum(a) FROM t WHERE a > 9 GROUP BY ALL", "SELECT 'x', sum(a) FROM t WHERE a > 9"],
    ['duckdb', 'SELECT s, a FROM t ORDER BY ALL', 'SELECT s, a FROM t ORDER BY 1, 2'],
    ['duckdb', 'SELECT a, s FROM t ORDER BY ALL DESC', 'SELECT a, s FROM t ORDER BY a DESC, s DESC'],
    ['duckdb', 'SELECT count() FROM t', 'SELECT count(*) FROM t'],
    ['duckdb', 'SELECT mean(a) FROM t', 'SELECT avg(a) FROM t'],
    ['duckdb', "SELECT a FROM t WHERE contains(s, 'due')", "SELECT a FROM t WHERE s LIKE '%due%'"],
    ['duckdb', 'SELECT list_extract(l, 2) FROM t', 'SELECT l[2] FROM t'],
    ['duckdb', "SELECT s SIMILAR TO 'd.*' FROM t", "SELECT regexp_full_match(s, 'd.*') FROM t"],
    ['duckdb', "SELECT strftime('%Y-%m', d) FROM t", "SELECT strftime(d, '%Y-%m') FROM t"],
    [
      'duckdb',
      "SELECT a FROM t WHERE d >= DATE '2025-01-09' - 7",
      "SELECT a FROM t WHERE d >= DATE '2025-01-02'",
    ],
    [
      'duckdb',
      'SELECT a FROM t WHERE d >= current_date - 7',
      'SELECT a FROM t WHERE d >= current_date - INTERVAL 7 DAY',
    ],
    ['sqlite', "SELECT j ->> '$.x' FROM t", "SELECT json_extract(j, '$.x') FROM t"],
    ['sqlite', "SELECT j ->> 'x' FROM t ORDER BY 1", "SELECT j ->> '$.x' FROM t ORDER BY 1"],
    [
      'sqlite',
      "SELECT a FROM t WHERE j ->> '$.y.z' = 'k'",
      "SELECT a FROM t WHERE json_extract(j, '$.y.z') = 'k'",
    ],
    ['sqlite', "SELECT format('%.2f', b) FROM t", "SELECT printf('%.2f', b) FROM t"],
    ['sqlite', 'SELECT sum(a > 2) FROM t', 'SELECT sum(CASE WHEN a > 2 THEN 1 ELSE 0 END) FROM t'],
  ])('%s: %s | %s', async (dialect, one, other) => {
    const { kinds, left, right } = await compared(dialect, one, other)
    expect(kinds).toEqual(['equal', 'equal'])
    expect(left).toEqual(right)
  })
})

describe('two queries that look alike', () => {
  it.each<['duckdb' | 'sqlite', string, string]>([
    ['duckdb', 'SELECT a, count(*) FROM t GROUP BY ALL', 'SELECT a, count(*) FROM t GROUP BY a, s'],
    ['duckdb', 'SELECT s, a FROM t ORDER BY ALL', 'SELECT s, a FROM t ORDER BY 2, 1'],
    ['duckdb', 'SELECT s, a FROM t ORDER BY ALL', 'SELECT s, a FROM t ORDER BY 1 DESC, 2 DESC'],
    ['duckdb', 'SELECT count() FROM t', 'SELECT count(a) FROM t'],
    [
      'duckdb',
      "SELECT a FROM t WHERE d >= DATE '2025-01-09' - 7",
      "SELECT a FROM t WHERE d >= DATE '2025-01-09' - 6",
    ],
    [
      'duckdb',
      "SELECT (current_date - 7) - DATE '2025-01-01'",
      "SELECT (current_date - INTERVAL 7 DAY) - DATE '2025-01-01'",
    ],
    ['duckdb', "SELECT a FROM t WHERE contains(s, 'd_e')", "SELECT a FROM t WHERE s LIKE '%d_e%'"],
    ['duckdb', "SELECT a FROM t WHERE contains(s, 'due')", "SELECT a FROM t WHERE s ILIKE '%due%'"],
    ['duckdb', 'SELECT list_extract(l, 1) FROM t', 'SELECT l[2] FROM t'],
    ['sqlite', "SELECT json_array(j ->> '$.x') FROM t", "SELECT json_array(json_extract(j, '$.x')) FROM t"],
    ['sqlite', "SELECT j -> '$.x' FROM t", "SELECT j ->> '$.x' FROM t"],
    [
      'sqlite',
      'SELECT a, sum(b > 5) FROM t GROUP BY a',
      'SELECT a, sum(CASE WHEN b > 5 THEN 1 ELSE 0 END) FROM t GROUP BY a',
    ],
  ])('%s: %s | %s', async (dialect, one, other) => {
    const { kinds, left, right } = await compared(dialect, one, other)
    expect(kinds).not.toContain('equal')
    expect(left).not.toEqual(right)
  })

  it('an output that may aggregate or not keeps GROUP BY ALL as it is', () => {
    const [one, other] = [
      'SELECT own(a), count(*) FROM t GROUP BY ALL',
      'SELECT own(a), count(*) FROM t GROUP BY 1',
    ]
    expect(compareQueries(parser, one, other, 'duckdb').kind).toBe('different')
  })

  it('a column in quotes is none of the words', () => {
    const [one, other] = ['SELECT b, c FROM t ORDER BY "all"', 'SELECT b, c FROM t ORDER BY b, c']
    expect(compareQueries(parser, one, other, 'duckdb').kind).toBe('different')
  })
})
