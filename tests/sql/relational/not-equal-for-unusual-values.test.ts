import { beforeAll, describe, expect, it } from 'vitest'
import type { Dialect } from '../../../src/enums/dialect.js'
import { compareQueries } from '../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { parseSchema } from '../../../src/sql/tables/load-schema.js'
import { type Engine, rowsOf, runsOf } from '../in-memory-databases.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

const numbers = `CREATE TABLE t (k INTEGER, a INTEGER, b INTEGER, r REAL, d DECIMAL(10, 5));
  CREATE TABLE u (c INTEGER);`
const ofNumbers = `INSERT INTO t VALUES (1, NULL, 2, NULL, 1.2345), (2, 3, 4, 16777216, 1.235), (3, 1, NULL, 5, NULL), (4, 3, NULL, 5, NULL);
  INSERT INTO u VALUES (5), (7);`
const times = 'CREATE TABLE t (k INTEGER, d DATE);'
const ofTimes = `INSERT INTO t VALUES (1, '2024-12-31'), (2, '2024-02-29'), (3, '20240-01-01'), (6, '10000-01-01'), (4, 'infinity'), (5, NULL);`
const untyped = `CREATE TABLE t (k INTEGER, i INTEGER, x TEXT); CREATE TABLE u (i INTEGER);
  CREATE TABLE f (k INTEGER NOT NULL, i INTEGER NOT NULL, x TEXT NOT NULL);`
const ofUntyped = `INSERT INTO t VALUES (1, 5, '05'), (2, 12, '5'), (3, NULL, NULL); INSERT INTO u VALUES (5);
  INSERT INTO f VALUES (1, 5, '05'), (2, 12, '5');`

/** Engine, what sets the data apart, tables and rows, and two queries that were taken for one. */
const pairs: readonly (readonly [Engine, string, string, string, string, string])[] = [
  ...(
    [
      [
        'rows with NULLs, which are values there',
        'SELECT k, (a, b) = (a, b) FROM t',
        'SELECT k, a = a AND b = b FROM t',
      ],
      [
        'no row equal to one with NULL',
        'SELECT k FROM t WHERE NOT (a, b) = (3, 4)',
        'SELECT k FROM t WHERE a <> 3 OR b <> 4',
      ],
      [
        'three digits of a decimal',
        "SELECT k FROM t WHERE d = DECIMAL '1.2345'",
        'SELECT k FROM t WHERE d = 1.2345',
      ],
      [
        'what decides how it is divided',
        'SELECT coalesce(a, 1, 2.5) // 2 AS x FROM t',
        'SELECT coalesce(a, 1) // 2 AS x FROM t',
      ],
      [
        'floats of 24 bits',
        'SELECT k FROM t WHERE coalesce(r, 16777216) = 16777217',
        'SELECT k FROM t WHERE r = 16777217',
      ],
      [
        'one row for all, by an aggregate of two values',
        'SELECT max_by(a, b) AS x, sum(1) OVER () AS s FROM t',
        'SELECT max_by(a, b) AS x, (SELECT sum(1) FROM t) AS s FROM t',
      ],
      [
        'one row for all, by its order',
        'SELECT sum(1) OVER () AS s FROM t ORDER BY count(*)',
        'SELECT (SELECT sum(1) FROM t) AS s FROM t ORDER BY count(*)',
      ],
    ] as const
  ).map((row) => ['duckdb', row[0], numbers, ofNumbers, row[1], row[2]] as const),
  ...(
    [
      [
        'years of five digits, as texts',
        "SELECT k FROM t WHERE strftime(d, '%Y-%m') < '2024-12'",
        "SELECT k FROM t WHERE d < DATE '2024-12-01'",
      ],
      [
        'years of five digits, by how they begin',
        "SELECT k FROM t WHERE CAST(d AS VARCHAR) LIKE '2024%'",
        'SELECT k FROM t WHERE year(d) = 2024',
      ],
      ['infinity', 'SELECT k FROM t WHERE year(d) >= 2024', "SELECT k FROM t WHERE d >= DATE '2024-01-01'"],
      [
        'a time that a date loses',
        "SELECT k FROM t WHERE d >= '2024-12-31 10:00'",
        "SELECT k FROM t WHERE d > DATE '2024-12-31'",
      ],
      [
        'texts of days with more after them',
        "SELECT k FROM t WHERE CAST(d AS VARCHAR) LIKE '2024-02-29-%'",
        "SELECT k FROM t WHERE d = DATE '2024-02-29'",
      ],
    ] as const
  ).map((row) => ['duckdb', row[0], times, ofTimes, row[1], row[2]] as const),
  ...(
    [
      [
        'a column and what is computed of it',
        "SELECT k FROM t WHERE coalesce(i, i) = '5'",
        "SELECT k FROM t WHERE i = '5'",
      ],
      [
        'a column and a CASE',
        "SELECT k FROM t WHERE CASE WHEN k > 1 THEN i ELSE i END = '5'",
        "SELECT k FROM t WHERE i = '5'",
      ],
      [
        'a column and the only one given',
        "SELECT k FROM t WHERE coalesce(NULL, i) = '5'",
        "SELECT k FROM t WHERE i = '5'",
      ],
      [
        'a column that is never NULL and what stands for NULL',
        "SELECT k FROM f WHERE coalesce(i, 0) = '5'",
        "SELECT k FROM f WHERE i = '5'",
      ],
      [
        'a text that is never NULL',
        'SELECT k FROM f WHERE coalesce(x, 0) = 5',
        'SELECT k FROM f WHERE x = 5',
      ],
      ['columns of two types', 'SELECT k FROM f WHERE coalesce(i, 0) = x', 'SELECT k FROM f WHERE i = x'],
      [
        'what a list is asked for',
        "SELECT k FROM f WHERE coalesce(i, 0) IN ('5', '6')",
        "SELECT k FROM f WHERE i IN ('5', '6')",
      ],
      [
        'a column of a subquery',
        "SELECT k FROM (SELECT k, coalesce(i, 0) AS j FROM f) AS q WHERE j = '5'",
        "SELECT k FROM f WHERE i = '5'",
      ],
      [
        'a column and its greatest value',
        'SELECT k FROM t WHERE x = (SELECT i FROM u ORDER BY i DESC LIMIT 1)',
        'SELECT k FROM t WHERE x = (SELECT max(i) FROM u)',
      ],
    ] as const
  ).map((row) => ['sqlite', row[0], untyped, ofUntyped, row[1], row[2]] as const),
]

describe('queries whose rows differ only for unusual values', () => {
  it.each(pairs)('%s: by %s', async (engine, _, ddl, data, a, b) => {
    const runs = await runsOf(engine, ddl, [data])
    const [left, right] = [await rowsOf(runs, a), await rowsOf(runs, b)]
    expect(left).toBeDefined()
    expect(left).not.toBe(right)
    const schema = parseSchema(parser, ddl, engine)
    expect(compareQueries(parser, a, b, engine, { schema }).kind).not.toBe('equal')
    expect(compareQueries(parser, a, b, engine).kind).not.toBe('equal')
  })
})

describe('queries whose rows differ only for unusual values, without an engine at hand', () => {
  /** Where no engine is at hand, or one of the two is an error for some rows. */
  it.each([
    [
      'postgres',
      'SELECT (SELECT count(CASE WHEN t.a > 0 THEN o.c END) FROM t) AS x FROM u AS o',
      'SELECT (SELECT count(o.c) FROM t WHERE t.a > 0) AS x FROM u AS o',
    ],
    [
      'postgres',
      'SELECT (SELECT sum(CASE WHEN o.c > 9 THEN 1 ELSE 0 END) FROM t GROUP BY t.k) AS x FROM u AS o',
      'SELECT (SELECT count(CASE WHEN o.c > 9 THEN 1 END) FROM t GROUP BY t.k) AS x FROM u AS o',
    ],
    [
      'postgres',
      'SELECT (SELECT sum(o.c) OVER () FROM t LIMIT 1) AS x FROM u AS o',
      'SELECT (SELECT (SELECT sum(o.c) FROM t) FROM t LIMIT 1) AS x FROM u AS o',
    ],
    [
      'duckdb',
      'SELECT 1 + (SELECT o.c FROM t ORDER BY o.c DESC NULLS LAST LIMIT 1) AS x FROM u AS o',
      'SELECT 1 + (SELECT max(o.c) FROM t) AS x FROM u AS o',
    ],
    [
      'postgres',
      "SELECT k FROM t WHERE date_trunc('month', d, 'Asia/Tokyo') = '2024-02-01'",
      "SELECT k FROM t WHERE date_trunc('month', d) = '2024-02-01'",
    ],
    [
      'postgres',
      "SELECT k FROM t WHERE CAST(d AS char) LIKE '2024-%'",
      'SELECT k FROM t WHERE extract(year FROM d) = 2024',
    ],
    [
      'bigquery',
      "SELECT FORMAT_TIMESTAMP('%Y-%m', d, 'Asia/Tokyo') AS x FROM t",
      "SELECT FORMAT_TIMESTAMP('%Y-%m', d) AS x FROM t",
    ],
    [
      'bigquery',
      "SELECT PARSE_TIMESTAMP('%Y-%m-%d', x, 'Asia/Tokyo') AS x FROM t",
      "SELECT PARSE_TIMESTAMP('%Y-%m-%d', x) AS x FROM t",
    ],
    ['postgres', "SELECT k FROM t WHERE left(x, 3) = 'ab '", "SELECT k FROM t WHERE x LIKE 'ab %'"],
    ['postgres', "SELECT k FROM t WHERE strpos(x, 'b ') > 0", "SELECT k FROM t WHERE x LIKE '%b %'"],
    ['postgres', "SELECT k FROM t WHERE x = 'ab' || ' '", "SELECT k FROM t WHERE x = 'ab '"],
    ['postgres', "SELECT k FROM t WHERE lower(x) LIKE '_'", "SELECT k FROM t WHERE x LIKE '_'"],
    [
      'postgres',
      'SELECT k FROM t WHERE coalesce(r, 0.1) = 0.1',
      'SELECT k FROM t WHERE r = 0.1 OR r IS NULL',
    ],
    ['spark', 'SELECT k FROM t WHERE NOT (a, b) = (3, 4)', 'SELECT k FROM t WHERE a <> 3 OR b <> 4'],
  ] as const)('%s: %s', (dialect: Dialect, a, b) => {
    expect(compareQueries(parser, a, b, dialect).kind).toBe('different')
  })
})
