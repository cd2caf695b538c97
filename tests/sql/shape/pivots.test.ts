import { DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Dialect } from '../../../src/enums/dialect.js'
import { compareQueries } from '../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'

const setup = `CREATE TABLE sales (shop INTEGER, kind TEXT, amount INTEGER, jan INTEGER, feb INTEGER);
  INSERT INTO sales VALUES (1, 'a', 3, 10, NULL), (1, 'b', 4, 20, 21), (2, 'a', NULL, NULL, NULL), (1, 'a', 5, 1, 2);
  CREATE TABLE x (id INTEGER, k INTEGER); INSERT INTO x VALUES (1, 1), (2, NULL), (3, 3);
  CREATE TABLE y (k INTEGER, z INTEGER); INSERT INTO y VALUES (1, 7), (1, 8), (NULL, 9);
  CREATE TABLE w (z INTEGER); INSERT INTO w VALUES (7), (9);`

let parser: SqlParser
let run: (sql: string) => Promise<readonly string[]>
beforeAll(async () => {
  parser = await loadSqlParser()
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run(setup)
  // Columns may come in any order.
  run = async (sql) =>
    (await connection.runAndReadAll(sql))
      .getRows()
      .map((row) => row.map(String).sort().join(' '))
      .sort()
})

function compare(a: string, b: string, dialect: Dialect = 'duckdb') {
  return compareQueries(parser, a, b, dialect)
}

const listed = 'WITH c AS (SELECT shop, jan, feb FROM sales)'
const kinds = 'WITH c AS (SELECT shop, kind, amount FROM sales)'
const months = 'UNPIVOT(v FOR m IN (jan, feb))'

describe('columns of which all are known are listed', () => {
  it.each([
    [
      `${listed} SELECT p.* FROM c ${months} AS p`,
      `${listed} SELECT p.shop, p.m, p.v FROM c AS c ${months} AS p`,
    ],
    [
      `${kinds} SELECT * FROM c PIVOT(sum(amount) FOR kind IN ('a' AS a, 'b' AS b))`,
      `${kinds} SELECT q.shop, q.a, q.b FROM c AS d PIVOT(sum(amount) FOR kind IN ('a' AS a, 'b' AS b)) AS q`,
    ],
    [
      `${kinds} SELECT a FROM c PIVOT(sum(amount) FOR kind IN ('a', 'b')) AS q`,
      `${kinds} SELECT q.a FROM c PIVOT(sum(amount) FOR kind IN ('a', 'b')) AS q`,
    ],
    [
      `${listed} SELECT * FROM c UNPIVOT(v FOR m IN (jan)) UNPIVOT(w FOR n IN (feb))`,
      `${listed} SELECT t.shop, t.m, t.v, t.n, t.w FROM c AS c UNPIVOT(v FOR m IN (jan)) UNPIVOT(w FOR n IN (feb)) AS t`,
    ],
    ['WITH c AS (SELECT id, k FROM x) SELECT * EXCLUDE (k) FROM c', 'SELECT id FROM x'],
    ['WITH c AS (SELECT id, k FROM x) SELECT * REPLACE (k + 1 AS k) FROM c', 'SELECT id, k + 1 AS k FROM x'],
    [
      'SELECT x.id, x.k FROM x LEFT JOIN y INNER JOIN w ON w.z = y.z ON x.k = y.k',
      'SELECT x.id, x.k FROM x LEFT JOIN (y INNER JOIN w ON w.z = y.z) ON x.k = y.k',
    ],
    [
      'SELECT x.id, coalesce(x.k, y.k) FROM x LEFT JOIN y ON x.k = y.k',
      'SELECT x.id, x.k FROM x LEFT JOIN y ON x.k = y.k',
    ],
  ])('%s and %s', async (a, b) => {
    expect(compare(a, b).kind).toBe('equal')
    expect(compare(b, a).kind).toBe('equal')
    expect(await run(b)).toEqual(await run(a))
  })

  it.each([
    [
      `${listed} SELECT * FROM c ${months}`,
      `${listed} SELECT * FROM c UNPIVOT INCLUDE NULLS (v FOR m IN (jan, feb))`,
    ],
    [`${listed} SELECT * FROM c ${months}`, `${listed} SELECT * FROM c UNPIVOT(m FOR v IN (jan))`],
    [
      `${kinds} SELECT a FROM c PIVOT(sum(amount) FOR kind IN ('a', 'b'))`,
      "WITH c AS (SELECT kind, amount FROM sales) SELECT a FROM c PIVOT(sum(amount) FOR kind IN ('a', 'b'))",
    ],
    [
      'WITH c AS (SELECT jan FROM sales) SELECT * FROM c UNPIVOT(v FOR m IN (jan))',
      'WITH c AS (SELECT jan AS "Jan" FROM sales) SELECT * FROM c UNPIVOT(v FOR m IN (jan))',
    ],
    [
      'SELECT y.z, coalesce(y.k, x.k) FROM x LEFT JOIN y ON x.k = y.k',
      'SELECT y.z, y.k FROM x LEFT JOIN y ON x.k = y.k',
    ],
    [
      'SELECT x.id FROM x LEFT JOIN y INNER JOIN w ON w.z = y.z ON x.k = y.k',
      'SELECT x.id FROM x LEFT JOIN y ON x.k = y.k INNER JOIN w ON w.z = y.z',
    ],
  ])('but not %s and %s', async (a, b) => {
    expect(compare(a, b).kind).not.toBe('equal')
    expect(await run(b)).not.toEqual(await run(a))
  })
})

describe('columns that only the queries show', () => {
  it.each<[string, string, readonly string[], Dialect]>([
    ['SELECT * EXCEPT (a) FROM t', 'SELECT t.b FROM t', ['t has the columns a, b and no others'], 'bigquery'],
    [
      'SELECT * FROM (SELECT * FROM t) AS s(p, q)',
      'SELECT s.a, s.b FROM (SELECT t.a, t.b FROM t) AS s',
      ['t has the columns a, b and no others'],
      'postgres',
    ],
    [
      'SELECT * FROM t SEMI JOIN u USING (b)',
      'SELECT t.a, t.b FROM t SEMI JOIN u ON t.b = u.b',
      ['t has the columns a, b and no others'],
      'duckdb',
    ],
    [
      'WITH z AS (SELECT * FROM t) SELECT * FROM z UNION SELECT * FROM z ORDER BY a',
      'WITH z AS (SELECT t.a, t.b FROM t) SELECT z.a, z.b FROM z UNION SELECT z.a, z.b FROM z ORDER BY a',
      ['t has the columns a, b and no others'],
      'duckdb',
    ],
    [
      'SELECT * FROM t UNPIVOT(v FOR m IN (a, b)) AS u',
      'SELECT u.c, u.m, u.v FROM t UNPIVOT(v FOR m IN (a, b)) AS u',
      ['t has the columns a, b, c and no others'],
      'duckdb',
    ],
    [
      'SELECT one.t.id, two.t.id FROM one.t JOIN two.t ON one.t.id = two.t.id',
      'SELECT p.id, q.id FROM c.one.t AS p JOIN c.two.t AS q ON p.id = q.id',
      ['one.t is c.one.t', 'two.t is c.two.t'],
      'postgres',
    ],
  ])('%s and %s', (a, b, assumptions, dialect) => {
    expect(compare(a, b, dialect)).toMatchObject({ kind: 'equal_if', assumptions })
  })

  it('are open where both queries take all', () => {
    expect(
      compare('SELECT x.* FROM t x JOIN u y USING (id)', 'SELECT * FROM t x JOIN u y USING (id)').kind,
    ).toBe('different')
  })
})
