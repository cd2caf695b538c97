import { beforeAll, describe, expect, it } from 'vitest'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { parseSchema } from '../../../src/sql/tables/load-schema.js'
import { comparePair } from '../dialect-pairs.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('quotients of integers', () => {
  const schema = () =>
    parseSchema(parser, 'CREATE TABLE t (a INTEGER, b BIGINT, x DOUBLE PRECISION, p DECIMAL(8, 2))', 'ansi')
  const kind = (one: string, other: string): string => {
    const options = { schema: schema() }
    const found = comparePair(parser, one, other, options).kind
    expect(comparePair(parser, other, one, options).kind).toBe(found)
    return found
  }

  it.each([
    ['postgres: a / b', 'mysql: a DIV b'],
    ['postgres: a / b', 'duckdb: a // b'],
    ['trino: a / 10', 'spark: a DIV 10'],
    ['trino: a / b', 'bigquery: DIV(a, b)'],
    ['postgres: max(a) / count(*)', 'mysql: max(a) DIV count(*)'],
    ['trino: sum(b) / count(*)', 'duckdb: sum(b) // count(*)'],
    ['redshift: (a + 1) / nullif(b, 0)', 'mysql: (a + 1) DIV nullif(b, 0)'],
    ['postgres: a / b', 'sqlite: a / b'],
  ])('%s is %s', (one, other) => {
    expect(kind(one, other)).toBe('equal')
  })

  it('are rounded in SQLite where its column holds no fractions', () => {
    const finding = comparePair(parser, 'sqlite: a / 2', 'duckdb: a // 2', { schema: schema() })
    expect(finding).toMatchObject({ kind: 'equal_if', assumptions: ['t.a holds whole numbers only'] })
  })

  it.each([
    ['postgres: a / b', 'mysql: a / b'],
    ['trino: a / b', 'bigquery: a / b'],
    ['postgres: x / b', 'mysql: x DIV b'],
    ['postgres: p / 2', 'duckdb: p // 2'],
    // The sum of large integers is a decimal in PostgreSQL.
    ['postgres: sum(b) / count(*)', 'duckdb: sum(b) // count(*)'],
    // Its year is a number that is not rounded when it is divided.
    ['postgres: extract(year from d) / 10', 'duckdb: year(d) // 10'],
  ])('%s is not %s', (one, other) => {
    expect(kind(one, other)).not.toBe('equal')
  })
})
