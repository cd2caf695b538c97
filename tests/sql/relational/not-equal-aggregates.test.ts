import { DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, it } from 'vitest'
import { compareQueries } from '../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { parseSchema, type Schema } from '../../../src/sql/tables/load-schema.js'

const ddl = `CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, d INTEGER NOT NULL);
  CREATE TABLE u (id INTEGER PRIMARY KEY, x INTEGER, y INTEGER, w DECIMAL(10, 2));`
const rows = `INSERT INTO t VALUES (1, 1, 1, 1), (2, 1, 2, 2), (3, NULL, 2, 1), (4, 2, NULL, 1), (5, 2, 2, 2);
  INSERT INTO u VALUES (1, 1, 1, 1.5), (2, 1, 2, 2.5), (3, NULL, 2, 1), (4, 2, NULL, NULL), (6, 4, 5, 1);`

const marked = 't LEFT JOIN u ON t.a = u.x AND t.d = 1'
const partly = 't LEFT JOIN (SELECT max(x) AS m FROM u) AS q ON t.d = 1'
const optional = 'u LEFT JOIN (SELECT id, d FROM t WHERE d = 1) AS q ON q.id = u.x'

/** Two queries that some database tells apart. */
const pairs: readonly [string, string, string][] = [
  [
    'a CASE without its aggregate',
    'SELECT CASE WHEN 1 = 1 THEN 5 ELSE count(*) END FROM t',
    'SELECT 5 FROM t',
  ],
  ['coalesce without its aggregate', 'SELECT coalesce(5, count(*)) FROM t', 'SELECT 5 FROM t'],
  ['NULL of an aggregate', 'SELECT count(*) + NULL FROM t', 'SELECT NULL FROM t'],
  ['FALSE of an aggregate', 'SELECT count(*) > 1 AND FALSE FROM t', 'SELECT FALSE FROM t'],
  ['HAVING that always holds', 'SELECT 1 FROM t HAVING 1 = 1', 'SELECT 1 FROM t'],
  ['ORDER BY an aggregate', 'SELECT 1 FROM t WHERE 1 = 0 ORDER BY count(*)', 'SELECT 1 FROM t WHERE 1 = 0'],
  ['ROLLUP of no rows', 'SELECT a FROM t WHERE 1 = 0 GROUP BY ROLLUP(a)', 'SELECT a FROM t WHERE 1 = 0'],
  [
    'ROLLUP below a key',
    'SELECT DISTINCT id, b FROM t GROUP BY id, ROLLUP(b)',
    'SELECT DISTINCT id, b FROM t',
  ],
  [
    'a constant under ROLLUP',
    'SELECT DISTINCT a, max(5) FROM t WHERE id > 9 GROUP BY ROLLUP(a)',
    'SELECT DISTINCT a, 5 FROM t WHERE id > 9 GROUP BY ROLLUP(a)',
  ],
  [
    'counted rows under ROLLUP',
    'SELECT DISTINCT a, count(*) FROM t WHERE id > 9 GROUP BY ROLLUP(a) HAVING count(*) >= 1',
    'SELECT DISTINCT a, count(*) FROM t WHERE id > 9 GROUP BY ROLLUP(a)',
  ],
  [
    'a literal beside an aggregate of no rows',
    'SELECT max(k), sum(n) FROM (SELECT 5 AS k, count(*) AS n FROM t WHERE id > 9) AS q',
    'SELECT max(5), count(*) FROM t WHERE id > 9',
  ],
  [
    'a partial count of a column',
    'SELECT sum(n) FROM (SELECT count(b) AS n FROM t) AS q',
    'SELECT count(*) FROM t',
  ],
  [
    'a count of what an outer join leaves out',
    `SELECT count(q.d) FROM ${optional}`,
    `SELECT count(*) FROM ${optional}`,
  ],
  [
    'keys beside a condition on the left side',
    `SELECT t.a, count(*) FROM ${marked} GROUP BY t.a, u.x`,
    `SELECT t.a, count(*) FROM ${marked} GROUP BY t.a`,
  ],
  [
    'one row that is joined to some rows',
    `SELECT t.a, count(*) FROM ${partly} GROUP BY t.a, q.m`,
    `SELECT t.a, count(*) FROM ${partly} GROUP BY t.a`,
  ],
  [
    'EXISTS of an aggregate, which always has a row',
    'SELECT t.id FROM t LEFT JOIN u ON t.id = u.x WHERE EXISTS (SELECT count(*) FROM u AS v WHERE v.x = u.x)',
    'SELECT t.id FROM t JOIN u ON t.id = u.x WHERE EXISTS (SELECT count(*) FROM u AS v WHERE v.x = u.x)',
  ],
  [
    'texts of numbers of two types',
    "SELECT q.v || '' FROM (SELECT a AS v FROM t UNION ALL SELECT w FROM u) AS q",
    "SELECT a || '' FROM t UNION ALL SELECT w || '' FROM u",
  ],
  [
    'QUALIFY on one row',
    'SELECT t.id FROM t, (SELECT count(*) AS n FROM u QUALIFY row_number() OVER () > 1) AS q',
    'SELECT t.id FROM t',
  ],
  [
    'an aggregate beside a list of rows',
    'SELECT count(*), unnest([1, 2]) FROM t LIMIT 1',
    'SELECT count(*), unnest([1, 2]) FROM t',
  ],
]

let parser: SqlParser
let schema: Schema
let rowsOf: (sql: string) => Promise<string[]>
beforeAll(async () => {
  parser = await loadSqlParser()
  schema = parseSchema(parser, ddl, 'duckdb')
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run(ddl + rows)
  rowsOf = async (sql) => {
    const reader = await connection.runAndReadAll(sql)
    return reader
      .getRowsJson()
      .map((row) => JSON.stringify(row.map(String)))
      .sort()
  }
})

describe('queries of different rows are not equal', () => {
  it.each(pairs)('%s', async (_, a, b) => {
    expect(await rowsOf(a)).not.toEqual(await rowsOf(b))
    expect(compareQueries(parser, a, b, 'duckdb').kind).not.toBe('equal')
    expect(compareQueries(parser, a, b, 'duckdb', { schema }).kind).not.toBe('equal')
  })

  it.each(['SELECT a OR FALSE FROM t', 'SELECT a AND TRUE FROM t'])(
    'a number as a truth value in SQLite: %s',
    (sql) => {
      expect(compareQueries(parser, sql, 'SELECT a FROM t', 'sqlite').kind).toBe('different')
    },
  )
})
