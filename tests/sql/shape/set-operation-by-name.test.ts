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

describe('set operations by name', () => {
  const rows: readonly Row[] = [
    [
      'are those by position once both list the same',
      'duckdb',
      'SELECT a, b FROM t UNION ALL BY NAME SELECT b, a FROM u',
      'SELECT a, b FROM t UNION ALL SELECT a, b FROM u',
      'SELECT a, b FROM t UNION ALL SELECT b, a FROM u',
    ],
    [
      'fill with NULL in DuckDB',
      'duckdb',
      'SELECT a, b FROM t UNION BY NAME SELECT b, c FROM u',
      'SELECT a, b, NULL AS c FROM t UNION SELECT NULL, b, c FROM u',
      'SELECT b FROM t UNION SELECT b FROM u',
    ],
    [
      'keep what both have with CORRESPONDING',
      'bigquery',
      'SELECT a, b FROM t UNION ALL CORRESPONDING SELECT b, c FROM u',
      'SELECT b FROM t INNER UNION ALL BY NAME SELECT b FROM u',
      'SELECT a, b FROM t FULL UNION ALL CORRESPONDING SELECT b, c FROM u',
    ],
    [
      'keep the columns of the left side with LEFT',
      'bigquery',
      'SELECT a, b FROM t LEFT UNION ALL BY NAME SELECT b, c FROM u',
      'SELECT a, b FROM t UNION ALL SELECT NULL, b FROM u',
      'SELECT a, b FROM t FULL UNION ALL BY NAME SELECT b, c FROM u',
    ],
    [
      'take a list of columns',
      'bigquery',
      'SELECT a, b FROM t FULL UNION ALL BY NAME ON (b, c) SELECT b, c FROM u',
      'SELECT b, NULL AS c FROM t UNION ALL SELECT b, c FROM u',
      'SELECT a, b FROM t UNION ALL SELECT b, c FROM u',
    ],
    [
      'drop duplicates before columns are left out',
      'bigquery',
      '(SELECT a, b FROM t UNION DISTINCT SELECT a, b FROM u) INNER UNION ALL BY NAME SELECT a FROM v',
      'SELECT a FROM (SELECT a, b FROM t UNION DISTINCT SELECT a, b FROM u) UNION ALL SELECT a FROM v',
      '(SELECT a FROM t UNION DISTINCT SELECT a FROM u) UNION ALL SELECT a FROM v',
    ],
  ]
  it.each(rows)('%s', expectDistinguished)

  it('stay as written where names are not known', () => {
    const named = 'SELECT * FROM t UNION ALL BY NAME SELECT a FROM u'
    expect(kind('duckdb', named, 'SELECT * FROM t UNION ALL SELECT a FROM u')).toBe('different')
    expect(kind('duckdb', named, named)).toBe('equal')
  })
})
