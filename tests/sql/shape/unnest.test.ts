import { beforeAll, describe, expect, it } from 'vitest'
import type { Dialect } from '../../../src/enums/dialect.js'
import { compareQueries } from '../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { parseSchema } from '../../../src/sql/tables/load-schema.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

function kind(dialect: Dialect, a: string, b: string, schema?: string): string {
  const options = schema === undefined ? {} : { schema: parseSchema(parser, schema, 'ansi') }
  const there = compareQueries(parser, a, b, dialect, options).kind
  expect(compareQueries(parser, b, a, dialect, options).kind).toBe(there)
  return there
}

/** What it is, the dialect, two queries that are equal, and one that the first is not equal to. */
type Row = readonly [string, Dialect, string, string, string]

function expectDistinguished(...[, dialect, a, b, other]: Row): void {
  expect(kind(dialect, a, b)).toBe('equal')
  expect(kind(dialect, a, other)).toBe('different')
}

describe('elements of arrays in FROM', () => {
  const rows: readonly Row[] = [
    [
      'LATERAL VIEW',
      'spark',
      'SELECT c FROM t LATERAL VIEW explode(a) AS c',
      'SELECT v.c FROM t LATERAL VIEW explode(t.a) v AS c',
      'SELECT c FROM t LATERAL VIEW OUTER explode(a) v AS c',
    ],
    [
      'WITH OFFSET',
      'bigquery',
      'SELECT * FROM UNNEST([5, 6]) AS x WITH OFFSET',
      'SELECT y, at FROM UNNEST([5, 6]) AS y WITH OFFSET AS at',
      'SELECT x FROM UNNEST([5, 6]) AS x WITH OFFSET',
    ],
    [
      'fields of records with a written type',
      'bigquery',
      "SELECT * FROM UNNEST(ARRAY<STRUCT<k STRING, v INT64>>[('a', 1)])",
      "SELECT k, v FROM UNNEST(ARRAY<STRUCT<k STRING, v INT64>>[('a', 1)])",
      "SELECT k FROM UNNEST(ARRAY<STRUCT<k STRING, v INT64>>[('a', 1)])",
    ],
    [
      'a path after its table',
      'bigquery',
      'SELECT i.k FROM t AS u, u.items AS i',
      'SELECT j.k FROM t, UNNEST(t.items) AS j',
      'SELECT i.k FROM t AS u, s.items AS i',
    ],
    [
      'LATERAL before a function',
      'postgres',
      'SELECT t.a, x FROM t, LATERAL unnest(t.b) AS x',
      'SELECT t.a, y FROM t, unnest(t.b) AS y',
      'SELECT t.a, y FROM t, unnest(t.c) AS y',
    ],
  ]
  it.each(rows)('%s', expectDistinguished)
})
