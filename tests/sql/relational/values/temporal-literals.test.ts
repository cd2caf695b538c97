import { beforeAll, describe, expect, it } from 'vitest'
import type { Dialect } from '../../../../src/enums/dialect.js'
import { compareQueries } from '../../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../../src/sql/parser.js'
import { parseSchema } from '../../../../src/sql/tables/load-schema.js'

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

describe('texts compared with dates', () => {
  it('are dates', () => {
    const a =
      "SELECT a FROM t WHERE CAST(b AS DATE) >= '2024-01-01' AND CAST(c AS TIMESTAMP) < '2024-01-01 10:00:00'"
    const b =
      "SELECT a FROM t WHERE CAST(b AS DATE) >= DATE '2024-01-01' AND CAST(c AS TIMESTAMP) < CAST('2024-01-01 10:00:00' AS TIMESTAMP)"
    expect(kind('postgres', a, b)).toBe('equal')
    expect(kind('sqlite', a, b)).toBe('different')
  })

  it('by the type of a column', () => {
    const [a, b] = ["SELECT a FROM t WHERE d = '2024-01-01'", "SELECT a FROM t WHERE d = DATE '2024-01-01'"]
    expect(kind('postgres', a, b, 'CREATE TABLE t (a INT, d DATE)')).toBe('equal')
    expect(kind('postgres', a, b, 'CREATE TABLE t (a INT, d TEXT)')).toBe('different')
    // Nothing but a date or a time is compared with a date.
    expect(kind('postgres', a, b)).toBe('equal')
    expect(kind('trino', a, b)).toBe('different')
    expect(kind('snowflake', a, b)).toBe('equal_if')
  })
})
