import { beforeAll, describe, expect, it } from 'vitest'
import type { Dialect } from '../../src/enums/dialect.js'
import { compareQueryPair } from '../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../src/sql/parser.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('queries in two dialects', () => {
  const sides = (a: string, one: Dialect, b: string, other: Dialect) =>
    compareQueryPair(parser, { sql: a, dialect: one }, { sql: b, dialect: other }).kind

  it.each<[string, Dialect, string, Dialect]>([
    [
      "SELECT a FROM t WHERE d >= date('now', '-30 days')",
      'sqlite',
      "SELECT a FROM t WHERE d >= CURRENT_DATE - INTERVAL '30 days'",
      'postgres',
    ],
    [
      "SELECT a FROM t WHERE strftime('%Y', d) = '2023'",
      'sqlite',
      'SELECT a FROM s.t WHERE EXTRACT(YEAR FROM d) = 2023',
      'mysql',
    ],
    [
      "SELECT a FROM t WHERE b ILIKE '%X%'",
      'postgres',
      "SELECT a FROM t WHERE LOWER(b) LIKE LOWER('%x%')",
      'bigquery',
    ],
    ['SELECT DATEDIFF(a, b) FROM t', 'mysql', 'SELECT DATE_DIFF(a, b, DAY) FROM t', 'bigquery'],
    ['SELECT CAST(lower(a) AS VARCHAR) FROM t', 'presto', 'SELECT CAST(lower(a) AS TEXT) FROM t', 'duckdb'],
    ['SELECT max_by(a, b) FROM t', 'trino', 'SELECT max_by(a, b) FROM t', 'snowflake'],
  ])('%s (%s) is %s (%s)', (a, one, b, other) => {
    expect(sides(a, one, b, other)).toBe('equal')
  })

  it.each<[string, Dialect, string, Dialect]>([
    ["SELECT a FROM t WHERE b LIKE 'x%'", 'sqlite', "SELECT a FROM t WHERE b LIKE 'x%'", 'postgres'],
    ['SELECT length(a) FROM t', 'mysql', 'SELECT length(a) FROM t', 'postgres'],
    [
      "SELECT a FROM t WHERE d >= date('now', '-30 days')",
      'sqlite',
      "SELECT a FROM t WHERE d >= CURRENT_DATE - INTERVAL '31 days'",
      'postgres',
    ],
  ])('%s (%s) is not %s (%s)', (a, one, b, other) => {
    expect(sides(a, one, b, other)).toBe('different')
  })

  it('says that a division must not be one of integers', () => {
    expect(sides('SELECT a / b FROM t', 'postgres', 'SELECT a / b FROM t', 'mysql')).toBe('equal_if')
  })
})
