import { DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, it } from 'vitest'
import { Sqlite as Database } from '../../src/platform/sqlite.js'
import { compareQueries } from '../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../src/sql/parser.js'
import { parseSchema, type Schema } from '../../src/sql/tables/load-schema.js'

const ddl = `CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER);
  CREATE TABLE u (id INTEGER PRIMARY KEY, x INTEGER, y INTEGER);`

/** The same tables with rows, NULLs and duplicates; one of them empty; both empty; nothing but NULLs. */
const data: readonly string[] = [
  `INSERT INTO t VALUES (1, 1, 1), (2, 1, 1), (3, NULL, 2), (4, 2, NULL), (5, 9, 2), (6, NULL, NULL);
   INSERT INTO u VALUES (1, 1, 1), (2, 1, 2), (3, NULL, 2), (4, 2, NULL), (7, 7, 7), (8, 7, 7);`,
  'INSERT INTO t VALUES (1, 1, 1), (2, NULL, 3);',
  'INSERT INTO u VALUES (1, 1, 1), (2, NULL, 3);',
  '',
  'INSERT INTO t VALUES (1, NULL, NULL), (2, NULL, NULL); INSERT INTO u VALUES (1, NULL, NULL);',
]

type Run = (sql: string) => Promise<readonly string[]>
let runs: readonly Run[]
let parser: SqlParser
let schema: Schema
beforeAll(async () => {
  parser = await loadSqlParser()
  schema = parseSchema(parser, ddl, 'duckdb')
  const cell = (value: unknown): string =>
    typeof value === 'boolean' ? String(Number(value)) : String(value)
  const text = (rows: readonly (readonly unknown[])[]): readonly string[] =>
    rows.map((row) => row.map(cell).join(' ')).sort()
  const sqlite = data.map((rows): Run => {
    const database = new Database(':memory:')
    database.exec(ddl + rows)
    return async (sql) => text(database.prepare(sql).raw(true).all() as unknown[][])
  })
  const duckdb = await Promise.all(
    data.map(async (rows): Promise<Run> => {
      const connection = await (await DuckDBInstance.create(':memory:')).connect()
      await connection.run(ddl + rows)
      return async (sql) => text((await connection.runAndReadAll(sql)).getRows())
    }),
  )
  runs = [...sqlite, ...duckdb]
})

const union = (left: string, right: string): string =>
  `SELECT t.a, u.x FROM ${left} UNION ALL SELECT t.a, u.x FROM ${right}`

/** Rule, two queries that are equal by it, and one whose rows differ somewhere. */
const rules: readonly [string, string, string, string][] = [
  [
    'a full join is a left join and what is left of the other side',
    'SELECT t.a, u.x FROM t FULL JOIN u ON t.a = u.x AND u.y > 1',
    union(
      't LEFT JOIN u ON t.a = u.x AND u.y > 1',
      't RIGHT JOIN u ON t.a = u.x AND u.y > 1 WHERE t.a IS NULL',
    ),
    union('t LEFT JOIN u ON t.a = u.x AND u.y > 1', 't RIGHT JOIN u ON t.a = u.x WHERE t.a IS NULL'),
  ],
  [
    'a full join whose other side is asked for with NOT EXISTS',
    'SELECT count(*) FROM t FULL JOIN u ON t.a = u.x',
    `SELECT count(*) FROM (SELECT t.a, u.x FROM t LEFT JOIN u ON t.a = u.x UNION ALL
       SELECT NULL, u.x FROM u WHERE NOT EXISTS (SELECT 1 FROM t WHERE t.a = u.x)) AS q`,
    `SELECT count(*) FROM (SELECT t.a, u.x FROM t LEFT JOIN u ON t.a = u.x UNION ALL
       SELECT NULL, u.x FROM u WHERE NOT EXISTS (SELECT 1 FROM t WHERE t.a = u.x AND t.b = 1)) AS q`,
  ],
  [
    'a column that may be NULL in a match is no sign of a missing one',
    'SELECT t.a, u.x FROM t FULL JOIN u ON t.a = u.x',
    union('t LEFT JOIN u ON t.a = u.x', 't RIGHT JOIN u ON t.a = u.x WHERE t.id IS NULL'),
    union('t LEFT JOIN u ON t.a = u.x', 't RIGHT JOIN u ON t.a = u.x WHERE t.b IS NULL'),
  ],
  [
    'of the side that an anti join leaves out all is NULL',
    'SELECT t.a, u.x FROM t LEFT JOIN u ON t.a = u.x WHERE u.x IS NULL',
    'SELECT t.a, NULL FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.x = t.a)',
    'SELECT t.a, t.b FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.x = t.a)',
  ],
  ['counting NULLs gives 0, and one row', 'SELECT count(NULL) FROM t', 'SELECT 0', 'SELECT 0 FROM t'],
  [
    'counting NULLs in groups',
    'SELECT a, count(a = NULL) FROM t GROUP BY a',
    'SELECT a, 0 FROM t GROUP BY a',
    'SELECT a, 0 FROM t',
  ],
  [
    'FILTER (WHERE TRUE)',
    'SELECT count(DISTINCT a) FILTER (WHERE 3 > 2), sum(b) FILTER (WHERE TRUE) FROM t',
    'SELECT count(DISTINCT a), sum(b) FROM t',
    'SELECT count(DISTINCT a) FILTER (WHERE a > 1), sum(b) FROM t',
  ],
  [
    'VALUES as SELECTs',
    'SELECT q.k FROM (VALUES (1, 2), (3, 4), (5, 6)) AS q(k, v) WHERE q.v > 2',
    'SELECT 3 UNION ALL SELECT 5',
    'SELECT 3 UNION ALL SELECT 6',
  ],
  [
    'one operand twice in a UNION',
    'SELECT a FROM t UNION SELECT x FROM u UNION SELECT a FROM t',
    'SELECT x FROM u UNION SELECT a FROM t',
    'SELECT x FROM u UNION SELECT b FROM t',
  ],
  [
    'a UNION of one query with itself',
    'SELECT a, b FROM t UNION SELECT a, b FROM t',
    'SELECT DISTINCT a, b FROM t',
    'SELECT a, b FROM t',
  ],
  [
    'columns of an operand in another order',
    'SELECT a, b FROM t UNION SELECT a, b FROM t',
    'SELECT DISTINCT b, a FROM t',
    'SELECT a, b FROM t UNION SELECT b, a FROM t',
  ],
  [
    'DISTINCT rows of UNION ALL',
    'SELECT DISTINCT * FROM (SELECT a, b FROM t UNION ALL SELECT x, y FROM u) AS q',
    'SELECT a, b FROM t UNION SELECT x, y FROM u',
    'SELECT a, b FROM t UNION ALL SELECT x, y FROM u',
  ],
  [
    'a row of aggregates that nobody reads',
    'SELECT 1 FROM (SELECT sum(a) FROM t) AS q',
    'SELECT 1 FROM (SELECT max(x) FROM u) AS q',
    'SELECT 1 FROM (SELECT a FROM t) AS q',
  ],
  [
    'an outer join with one row at most',
    'SELECT t.id, EXISTS (SELECT 1 FROM u WHERE u.x > 1) FROM t',
    `SELECT t.id, CASE WHEN q.i IS NOT NULL THEN TRUE ELSE FALSE END
       FROM t LEFT JOIN (SELECT TRUE AS i FROM u WHERE u.x > 1 GROUP BY TRUE) AS q ON TRUE`,
    `SELECT t.id, CASE WHEN q.i IS NOT NULL THEN TRUE ELSE FALSE END
       FROM t LEFT JOIN (SELECT TRUE AS i FROM u WHERE u.x > 1) AS q ON TRUE`,
  ],
  [
    'NTH_VALUE(x, 1)',
    'SELECT id, nth_value(a, 1) OVER (ORDER BY id) FROM t',
    'SELECT id, first_value(a) OVER (ORDER BY id) FROM t',
    'SELECT id, nth_value(a, 2) OVER (ORDER BY id) FROM t',
  ],
  [
    'the first of an order as the largest',
    'SELECT id FROM t WHERE a < (SELECT max(x) FROM u)',
    'SELECT id FROM t WHERE a < (SELECT x FROM u ORDER BY x DESC NULLS LAST LIMIT 1)',
    'SELECT id FROM t WHERE a < (SELECT x FROM u ORDER BY x DESC NULLS FIRST LIMIT 1)',
  ],
  [
    'the first of an order of values that are never NULL',
    'SELECT id, a - (SELECT min(id) FROM u WHERE u.y = t.b) FROM t',
    'SELECT id, a - (SELECT DISTINCT id FROM u WHERE u.y = t.b ORDER BY 1 LIMIT 1) FROM t',
    'SELECT id, a - (SELECT id FROM u WHERE u.y = t.b ORDER BY 1 DESC LIMIT 1) FROM t',
  ],
  [
    'the first row by a key',
    'SELECT a FROM t ORDER BY id DESC LIMIT 1',
    'SELECT a FROM t WHERE id = (SELECT max(id) FROM t)',
    'SELECT a FROM t WHERE id = (SELECT min(id) FROM t)',
  ],
  [
    'whether there are any, counted',
    'SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.x = t.a)',
    'SELECT id FROM t WHERE (SELECT count(*) FROM u WHERE u.x = t.a) > 0',
    'SELECT id FROM t WHERE (SELECT count(*) FROM u WHERE u.x = t.a) > 1',
  ],
  [
    'whether there are none, counted',
    'SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.x = t.a AND u.y IS NOT NULL)',
    'SELECT id FROM t WHERE 1 > (SELECT count(DISTINCT u.y) FROM u WHERE u.x = t.a)',
    'SELECT id FROM t WHERE (SELECT count(*) FROM u WHERE u.x = t.a) = 0',
  ],
  [
    'ones and zeros of groups, summed',
    'SELECT a, count(CASE WHEN b = 1 THEN 1 END) FROM t GROUP BY a ORDER BY 2',
    'SELECT a, sum(CASE WHEN b = 1 THEN 1 ELSE 0 END) FROM t GROUP BY a ORDER BY sum(CASE WHEN b = 1 THEN 1 ELSE 0 END)',
    'SELECT a, sum(CASE WHEN b = 1 THEN 1 END) FROM t GROUP BY a ORDER BY 2',
  ],
  [
    'ones and zeros, summed without groups',
    'SELECT count(CASE WHEN b = 1 THEN 1 END) FROM t',
    'SELECT count(*) FROM t WHERE b = 1',
    'SELECT sum(CASE WHEN b = 1 THEN 1 ELSE 0 END) FROM t',
  ],
  [
    'a condition of all aggregates',
    'SELECT sum(CASE WHEN b = 1 THEN a END), max(CASE WHEN b = 1 THEN id END) FROM t',
    'SELECT sum(a), max(id) FROM t WHERE b = 1',
    'SELECT sum(CASE WHEN b = 1 THEN a ELSE 0 END), max(CASE WHEN b = 1 THEN id END) FROM t',
  ],
  [
    'a window of all rows',
    'SELECT id, sum(a) OVER (), count(*) OVER () FROM t WHERE b > 1',
    'SELECT id, (SELECT sum(a) FROM t WHERE b > 1), (SELECT count(*) FROM t WHERE b > 1) FROM t WHERE b > 1',
    'SELECT id, (SELECT sum(a) FROM t), (SELECT count(*) FROM t) FROM t WHERE b > 1',
  ],
  [
    'a window of all groups',
    'SELECT a, sum(count(*)) OVER () FROM t GROUP BY a',
    'SELECT a, (SELECT count(*) FROM t) FROM t GROUP BY a',
    'SELECT a, count(*) OVER () FROM t GROUP BY a',
  ],
  [
    'two bounds that are one value',
    'SELECT id FROM t WHERE a = 1',
    'SELECT id FROM t WHERE a >= 1 AND a <= 1',
    'SELECT id FROM t WHERE a >= 1 AND a <= 2',
  ],
  [
    'a default that cannot be asked for',
    'SELECT id FROM t WHERE a > 1',
    'SELECT id FROM t WHERE coalesce(a, 0) > 1',
    'SELECT id FROM t WHERE coalesce(a, 2) > 1',
  ],
  [
    'a default that is asked for',
    'SELECT id FROM t WHERE a < 2 OR a IS NULL',
    'SELECT id FROM t WHERE coalesce(a, 0) < 2',
    'SELECT id FROM t WHERE coalesce(a, 2) < 2',
  ],
  [
    'defaults of defaults',
    'SELECT coalesce(a, b, id) FROM t',
    'SELECT coalesce(coalesce(a, b), a, id) FROM t',
    'SELECT coalesce(coalesce(b, a), id) FROM t',
  ],
  [
    'a value in any case',
    'SELECT id, b FROM t',
    'SELECT id, CASE WHEN a > 1 THEN b ELSE b END FROM t',
    'SELECT id, CASE WHEN a > 1 THEN b END FROM t',
  ],
  [
    'texts that are written out',
    "SELECT id, 'ab' FROM t WHERE 'x' = lower('X')",
    "SELECT id, 'a' || 'b' FROM t",
    "SELECT id, 'a' || 'B' FROM t",
  ],
  [
    'texts at the end of others',
    "SELECT CAST(id AS TEXT) || '-x' FROM t",
    "SELECT CAST(id AS TEXT) || '-' || 'x' FROM t",
    "SELECT CAST(id AS TEXT) || 'x' || '-' FROM t",
  ],
  [
    'rows of values',
    'SELECT id FROM t WHERE a = 1 AND b = 1 OR a = 2 AND b = 2',
    'SELECT id FROM t WHERE (a, b) IN ((1, 1), (2, 2))',
    'SELECT id FROM t WHERE (a, b) IN ((1, 1), (9, 2))',
  ],
  [
    '-0 in comparisons',
    'SELECT id FROM t WHERE a > -0.0',
    'SELECT id FROM t WHERE a > 0.0',
    'SELECT id FROM t WHERE a > 1.0',
  ],
]

describe('queries that are equal by a rule have the same rows, whatever is in the tables', () => {
  it.each(rules)('%s', async (_, one, same, other) => {
    const kind = (sql: string) => compareQueries(parser, one, sql, 'duckdb', { schema }).kind
    expect(kind(same)).toBe('equal')
    expect(kind(other)).not.toBe('equal')
    // SQLite names no columns of VALUES.
    const engines = one.includes('q(k, v)') ? runs.slice(data.length) : runs
    const all = (sql: string) => Promise.all(engines.map((run) => run(sql)))
    const [wanted, found, others] = [await all(one), await all(same), await all(other)]
    expect(columnsAlike(found)).toEqual(columnsAlike(wanted))
    expect(columnsAlike(others)).not.toEqual(columnsAlike(wanted))
  })

  it.each([
    [
      'SELECT id FROM t QUALIFY row_number() OVER (PARTITION BY a ORDER BY id) = 1',
      'SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY a ORDER BY id) AS r FROM t) WHERE r = 1',
      'SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY b ORDER BY id) AS r FROM t) WHERE r = 1',
    ],
    [
      'SELECT a, count(*) FROM t GROUP BY a QUALIFY rank() OVER (ORDER BY count(*) DESC) = 1 ORDER BY max(id) LIMIT 1',
      `SELECT a, n FROM (SELECT a, count(*) AS n, max(id) AS m, rank() OVER (ORDER BY count(*) DESC) AS r
         FROM t GROUP BY a) WHERE r = 1 ORDER BY m LIMIT 1`,
      `SELECT a, n FROM (SELECT a, count(*) AS n, max(id) AS m, rank() OVER (ORDER BY count(*)) AS r
         FROM t GROUP BY a) WHERE r = 1 ORDER BY m DESC LIMIT 1`,
    ],
    [
      'SELECT id FROM t WHERE a = ANY (SELECT x FROM u)',
      'SELECT id FROM t WHERE a IN (SELECT x FROM u)',
      'SELECT id FROM t WHERE a <> ANY (SELECT x FROM u)',
    ],
    [
      'SELECT id FROM t WHERE a <> ALL (SELECT x FROM u)',
      'SELECT id FROM t WHERE a NOT IN (SELECT x FROM u)',
      'SELECT id FROM t WHERE a <> ALL (SELECT x FROM u WHERE x IS NOT NULL)',
    ],
    [
      'SELECT id FROM t WHERE a = ANY ([1, 2])',
      'SELECT id FROM t WHERE a IN (1, 2)',
      'SELECT id FROM t WHERE a = ANY ([1, 9])',
    ],
  ])('%s, in DuckDB', async (one, same, other) => {
    const kind = (sql: string) => compareQueries(parser, one, sql, 'duckdb', { schema }).kind
    expect(kind(same)).toBe('equal')
    expect(kind(other)).not.toBe('equal')
    const all = (sql: string) => Promise.all(runs.slice(data.length).map((run) => run(sql)))
    expect(columnsAlike(await all(same))).toEqual(columnsAlike(await all(one)))
    expect(columnsAlike(await all(other))).not.toEqual(columnsAlike(await all(one)))
  })

  it.each([
    [
      'SELECT b FROM t WHERE a IS NOT NULL ORDER BY a DESC LIMIT 1',
      'SELECT b FROM t WHERE a IS NOT NULL AND a = (SELECT max(a) FROM t WHERE a IS NOT NULL)',
      'no two rows share the largest t.a',
    ],
    [
      'SELECT a FROM t GROUP BY a ORDER BY count(*) LIMIT 1',
      'SELECT a FROM t GROUP BY a HAVING count(*) = (SELECT min(n) FROM (SELECT count(*) AS n FROM t GROUP BY a))',
      'no two rows share the first place',
    ],
  ])('%s is %s only where %s', (first, extreme, words) => {
    for (const dialect of ['sqlite', 'duckdb'] as const) {
      const finding = compareQueries(parser, first, extreme, dialect, { schema })
      expect(finding).toMatchObject({ kind: 'equal_if', assumptions: [words] })
      const other = compareQueries(parser, first, extreme.replace(/max|min/u, 'avg'), dialect, { schema })
      expect(other.kind).toBe('different')
    }
  })

  it('leaves alone what an aggregate reads of an outer query, and defaults where types are loose', () => {
    const kind = (a: string, b: string, dialect: 'sqlite' | 'duckdb' = 'duckdb') =>
      compareQueries(parser, a, b, dialect, { schema }).kind
    const outer = 'SELECT (SELECT count(CASE WHEN t.a = 1 THEN 1 END) FROM u) FROM t'
    expect(kind(outer, 'SELECT (SELECT count(*) FROM u WHERE t.a = 1) FROM t')).toBe('different')
    const [given, plain] = ['SELECT id FROM t WHERE coalesce(b, 0) > 1', 'SELECT id FROM t WHERE b > 1']
    expect(kind(given, plain)).toBe('equal')
    expect(kind(given, plain, 'sqlite')).toBe('different')
  })

  it('ORDER BY a constant orders nothing', () => {
    const kind = (a: string, b: string) => compareQueries(parser, a, b, 'sqlite', { schema }).kind
    expect(kind("SELECT a FROM t ORDER BY 'a'", 'SELECT a FROM t')).toBe('equal')
    expect(kind("SELECT a FROM t ORDER BY 'a', a", 'SELECT a FROM t ORDER BY a')).toBe('equal')
    expect(kind('SELECT a FROM t ORDER BY 1', 'SELECT a FROM t')).toBe('different')
  })
})

/** Columns may come in any order. */
function columnsAlike(results: readonly (readonly string[])[]): readonly string[][] {
  return results.map((rows) => rows.map((row) => row.split(' ').sort().join(' ')).sort())
}
