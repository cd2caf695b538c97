import { beforeAll, describe, expect, it } from 'vitest'
import { compareQueries } from '../../src/sql/compare.js'
import { type Engine, type QuerySetting, querySetting, rowsOf } from './databases.js'

const ddl = `CREATE TABLE t (id INTEGER PRIMARY KEY, g INTEGER NOT NULL, a INTEGER, b INTEGER, s TEXT);
  CREATE TABLE u (id INTEGER PRIMARY KEY, tid INTEGER, x INTEGER, y INTEGER);`

/** Ties, duplicates and NULLs; one of the tables empty; both empty; nothing but NULLs where they may be. */
const data: readonly string[] = [
  `INSERT INTO t VALUES (1, 1, 1, 1, 'a'), (2, 1, 1, NULL, 'b'), (3, 1, NULL, 2, NULL), (4, 2, 2, NULL, 'a'),
     (5, 2, 3, 2, 'c'), (6, 3, NULL, NULL, 'a'), (7, 3, 2, 3, 'a'), (8, 4, 3, 3, NULL);
   INSERT INTO u VALUES (1, 1, 1, 4), (2, 1, 1, NULL), (3, NULL, NULL, 2), (4, 4, 2, 2), (5, 4, NULL, 7), (6, 5, 3, 3);`,
  "INSERT INTO t VALUES (1, 1, 2, 1, 'a'), (2, 1, 2, NULL, 'a'), (3, 4, 2, 2, NULL);",
  'INSERT INTO u VALUES (1, 1, 1, 1), (2, NULL, NULL, 3);',
  '',
  'INSERT INTO t VALUES (1, 1, NULL, NULL, NULL), (2, 1, NULL, NULL, NULL); INSERT INTO u VALUES (1, NULL, NULL, NULL);',
]

let setting: QuerySetting
beforeAll(async () => {
  setting = await querySetting(ddl, data)
})

const everywhere: readonly Engine[] = ['sqlite', 'duckdb']
const duckdb: readonly Engine[] = ['duckdb']

const over = (window: string): string => `SELECT id, sum(a) OVER (${window}) FROM t`
const matched = (test: string): string => `SELECT id FROM t WHERE ${test}`
const shown = (value: string): string => `SELECT id, ${value} FROM t`
const grouped = (value: string): string => `SELECT g, ${value} FROM t GROUP BY g`

/** Rule, engines, two queries that are equal by it, and one like them whose rows differ somewhere. */
const rules: readonly (readonly [string, readonly Engine[], string, string, string])[] = [
  [
    'a condition on the columns of a UNION',
    everywhere,
    'SELECT q.a FROM (SELECT a FROM t UNION SELECT x FROM u) AS q WHERE q.a > 1',
    'SELECT a FROM t WHERE a > 1 UNION SELECT x FROM u WHERE x > 1',
    'SELECT a FROM t WHERE a > 1 UNION SELECT x FROM u',
  ],
  [
    'a condition on the keys of partitions',
    everywhere,
    'SELECT q.id, q.n FROM (SELECT id, g, count(*) OVER (PARTITION BY g) AS n FROM t) AS q WHERE q.g = 1',
    'SELECT id, count(*) OVER (PARTITION BY g) FROM t WHERE g = 1',
    'SELECT id, count(*) OVER (PARTITION BY g) FROM t WHERE a = 1',
  ],
  [
    'a condition on what is not a key of all partitions',
    everywhere,
    'SELECT q.id, q.n FROM (SELECT id, g, count(*) OVER (PARTITION BY g, a) AS n FROM t) AS q WHERE q.g = 1',
    'SELECT id, count(*) OVER (PARTITION BY a, g) FROM t WHERE g = 1',
    'SELECT id, count(*) OVER (PARTITION BY a) FROM t WHERE g <> 2',
  ],
  [
    'a condition on distinct rows',
    everywhere,
    'SELECT q.a FROM (SELECT DISTINCT a, b FROM t) AS q WHERE q.b > 1',
    'SELECT q.a FROM (SELECT DISTINCT a, b FROM t WHERE b > 1) AS q',
    'SELECT DISTINCT a FROM t WHERE b > 1',
  ],
  [
    'a condition on the aggregates of joined groups',
    everywhere,
    'SELECT t.id, q.n FROM t JOIN (SELECT x, count(*) AS n FROM u GROUP BY x) AS q ON q.x = t.a WHERE q.n > 1',
    'SELECT t.id, q.n FROM t JOIN (SELECT x, count(*) AS n FROM u GROUP BY x HAVING count(*) > 1) AS q ON q.x = t.a',
    'SELECT t.id, q.n FROM t LEFT JOIN (SELECT x, count(*) AS n FROM u GROUP BY x HAVING count(*) > 1) AS q ON q.x = t.a',
  ],
  [
    'the frame that an order has by itself',
    everywhere,
    over('PARTITION BY g ORDER BY b'),
    over('PARTITION BY g ORDER BY b RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW'),
    over('PARTITION BY g ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW'),
  ],
  [
    'a frame of all rows',
    everywhere,
    over('PARTITION BY g ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING'),
    over('PARTITION BY g'),
    over('PARTITION BY g ORDER BY id'),
  ],
  [
    'a frame of the rows so far, ordered by a key',
    everywhere,
    over('ORDER BY id ROWS UNBOUNDED PRECEDING'),
    over('ORDER BY id'),
    over('ORDER BY g'),
  ],
  [
    'keys of windows that say nothing',
    everywhere,
    over('PARTITION BY g, 1 ORDER BY id, b'),
    over('PARTITION BY g ORDER BY id'),
    over('PARTITION BY g ORDER BY b'),
  ],
  [
    'ranks of what never ties',
    everywhere,
    shown('rank() OVER (PARTITION BY g ORDER BY a, id)'),
    shown('row_number() OVER (PARTITION BY g ORDER BY a, id)'),
    shown('rank() OVER (PARTITION BY g ORDER BY a)'),
  ],
  [
    'the row before',
    everywhere,
    shown('lag(a) OVER (ORDER BY id)'),
    shown('lag(a, 1, NULL) OVER (ORDER BY id)'),
    shown('lag(a, 1, 0) OVER (ORDER BY id)'),
  ],
  [
    'EXISTS with a LIMIT',
    everywhere,
    matched('EXISTS (SELECT x FROM u WHERE u.tid = t.id ORDER BY x LIMIT 1)'),
    matched('EXISTS (SELECT 1 FROM u WHERE u.tid = t.id)'),
    matched('EXISTS (SELECT x FROM u WHERE u.tid = t.id LIMIT 1 OFFSET 1)'),
  ],
  [
    'EXISTS of an aggregate',
    everywhere,
    matched('EXISTS (SELECT max(x) FROM u WHERE u.tid = t.id)'),
    'SELECT id FROM t',
    matched('EXISTS (SELECT max(x) FROM u WHERE u.tid = t.id HAVING count(*) > 0)'),
  ],
  [
    'EXISTS of a UNION',
    everywhere,
    matched('EXISTS (SELECT 1 FROM u WHERE u.tid = t.id UNION ALL SELECT 1 FROM u WHERE u.y = t.id)'),
    matched('EXISTS (SELECT 1 FROM u WHERE u.tid = t.id) OR EXISTS (SELECT 1 FROM u WHERE u.y = t.id)'),
    matched('EXISTS (SELECT 1 FROM u WHERE u.tid = t.id) AND EXISTS (SELECT 1 FROM u WHERE u.y = t.id)'),
  ],
  [
    'NULL as a value among others',
    everywhere,
    matched('a IS DISTINCT FROM 1'),
    matched('a <> 1 OR a IS NULL'),
    matched('a <> 1'),
  ],
  [
    'NULL as a value of both',
    everywhere,
    matched('a IS NOT DISTINCT FROM b'),
    matched('a = b OR (a IS NULL AND b IS NULL)'),
    matched('a = b'),
  ],
  [
    'conditions that are not true',
    everywhere,
    matched('(a > 1 OR b > 1) IS NOT TRUE'),
    matched('(a <= 1 OR a IS NULL) AND (b <= 1 OR b IS NULL)'),
    matched('NOT (a > 1 OR b > 1)'),
  ],
  [
    'conditions that are not untrue',
    everywhere,
    matched('NOT ((a > 1) IS NOT TRUE)'),
    matched('a > 1'),
    matched('(a > 1) IS NOT TRUE'),
  ],
  [
    'conditions that are false',
    everywhere,
    matched('(a > 1) IS FALSE'),
    matched('a <= 1'),
    matched('(a > 1) IS NOT TRUE'),
  ],
  [
    'CASE inside ELSE',
    everywhere,
    shown('CASE WHEN a > 1 THEN 1 ELSE CASE WHEN b > 1 THEN 2 ELSE 3 END END'),
    shown('CASE WHEN a > 1 THEN 1 WHEN b > 1 THEN 2 ELSE 3 END'),
    shown('CASE WHEN b > 1 THEN 2 WHEN a > 1 THEN 1 ELSE 3 END'),
  ],
  [
    'branches of one result',
    everywhere,
    shown("CASE WHEN a = 1 THEN 'p' WHEN a = 2 THEN 'p' WHEN a = 3 THEN 'q' ELSE 'q' END"),
    shown("CASE WHEN a IN (1, 2) THEN 'p' ELSE 'q' END"),
    shown("CASE WHEN a = 1 THEN 'p' ELSE 'q' END"),
  ],
  [
    'the first that is given',
    everywhere,
    shown('CASE WHEN a IS NOT NULL THEN a WHEN b IS NOT NULL THEN b ELSE 0 END'),
    shown('coalesce(a, coalesce(b, 0))'),
    shown('CASE WHEN b IS NOT NULL THEN b WHEN a IS NOT NULL THEN a ELSE 0 END'),
  ],
  [
    'a value but for one',
    duckdb,
    shown('CASE WHEN a = 1 THEN NULL ELSE a END'),
    shown('CASE WHEN a <> 1 THEN a END'),
    shown('CASE WHEN a = 1 THEN a END'),
  ],
  [
    'counting what is given',
    everywhere,
    grouped('count(*) FILTER (WHERE a IS NOT NULL)'),
    grouped('count(a)'),
    grouped('count(*) FILTER (WHERE b IS NOT NULL)'),
  ],
  [
    'counting what is given of all rows',
    everywhere,
    'SELECT count(*), max(a) FROM t WHERE a IS NOT NULL',
    'SELECT count(a), max(a) FROM t',
    'SELECT count(*), max(a) FROM t',
  ],
  [
    'counting with sum() of no rows',
    everywhere,
    'SELECT coalesce(sum(CASE WHEN a > 1 THEN 1 ELSE 0 END), 0) FROM t',
    'SELECT count(*) FROM t WHERE a > 1',
    'SELECT sum(CASE WHEN a > 1 THEN 1 ELSE 0 END) FROM t',
  ],
  [
    'shares of groups',
    everywhere,
    grouped('avg(CASE WHEN a > 1 THEN 100.0 ELSE 0.0 END)'),
    grouped('100.0 * sum(CASE WHEN a > 1 THEN 1 ELSE 0 END) / count(*)'),
    grouped('avg(CASE WHEN a > 1 THEN 100.0 END)'),
  ],
  [
    'sums of one number',
    everywhere,
    grouped('sum(CASE WHEN a > 1 THEN 5 ELSE 0 END)'),
    grouped('5 * count(CASE WHEN a > 1 THEN 1 END)'),
    grouped('sum(CASE WHEN a > 1 THEN 5 ELSE 1 END)'),
  ],
  [
    'the greatest of what a group has one of',
    everywhere,
    'SELECT t.id, max(t.s), count(*) FROM t JOIN u ON u.tid = t.id GROUP BY t.id',
    'SELECT t.id, t.s, count(*) FROM t JOIN u ON u.tid = t.id GROUP BY t.id, t.s',
    'SELECT t.id, max(u.x), count(*) FROM t JOIN u ON u.tid = t.id GROUP BY t.id, u.x',
  ],
  [
    'the greatest of distinct values',
    duckdb,
    grouped('max(DISTINCT a)'),
    grouped('max(a)'),
    grouped('sum(DISTINCT a)'),
  ],
  [
    'scalar subqueries of one table',
    everywhere,
    'SELECT (SELECT count(*) FROM t WHERE g = 1 AND a > 1) AS p, (SELECT sum(b) FROM t WHERE g = 1) AS q',
    'SELECT count(CASE WHEN a > 1 AND g = 1 THEN 1 END) AS p, sum(CASE WHEN g = 1 THEN b END) AS q FROM t',
    'SELECT count(CASE WHEN a > 1 THEN 1 END) AS p, sum(b) AS q FROM t',
  ],
  [
    'joined rows of aggregates',
    everywhere,
    `WITH p AS (SELECT count(*) AS n FROM t WHERE a > 1), q AS (SELECT count(DISTINCT g) AS n FROM t)
       SELECT p.n + q.n FROM p CROSS JOIN q`,
    'SELECT count(CASE WHEN a > 1 THEN 1 END) + count(DISTINCT g) FROM t',
    'SELECT count(CASE WHEN a > 1 THEN 1 END) + count(DISTINCT CASE WHEN a > 1 THEN g END) FROM t',
  ],
  [
    'rows of aggregates of two tables',
    everywhere,
    'SELECT p.m, q.m FROM (SELECT max(a) AS m FROM t) AS p, (SELECT max(x) AS m FROM u) AS q',
    'SELECT (SELECT max(a) FROM t), (SELECT max(x) FROM u)',
    'SELECT max(a), max(x) FROM t, u',
  ],
]

describe.each(rules)('%s', (_, engines, a, b, other) => {
  it.each(engines)('is known of %s', (engine) => {
    expect(compareQueries(setting.parser, a, b, engine, { schema: setting.schema }).kind).toBe('equal')
    expect(compareQueries(setting.parser, b, a, engine, { schema: setting.schema }).kind).toBe('equal')
    expect(compareQueries(setting.parser, a, other, engine, { schema: setting.schema }).kind).not.toBe(
      'equal',
    )
    expect(compareQueries(setting.parser, a, other, engine).kind).not.toBe('equal')
  })

  it.each(engines)('holds for rows of %s', async (engine) => {
    const own = setting.runs.get(engine) ?? []
    const rows = await rowsOf(own, a)
    expect(rows).toBeDefined()
    expect(await rowsOf(own, b)).toBe(rows)
    expect(await rowsOf(own, other)).not.toBe(rows)
  })
})
