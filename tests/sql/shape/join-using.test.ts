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

describe('a column of USING behind two tables', () => {
  const using = 'SELECT sum(a.x) FROM a JOIN b ON b.k = a.k JOIN c USING (m)'
  const of = (table: string): string =>
    `SELECT sum(a.x) FROM a JOIN b ON b.k = a.k JOIN c ON c.m = ${table}.m`

  it('is that of the only one that a schema knows to have it', () => {
    const schema = 'CREATE TABLE a (k INT, x INT); CREATE TABLE b (k INT, m INT); CREATE TABLE c (m INT)'
    expect(kind('duckdb', using, of('b'), schema)).toBe('equal')
    expect(kind('duckdb', using, of('a'), schema)).toBe('different')
  })

  it('is of neither for sure where both have it, or where no schema is known', () => {
    const schema =
      'CREATE TABLE a (k INT, m INT, x INT); CREATE TABLE b (k INT, m INT); CREATE TABLE c (m INT)'
    expect(kind('sqlite', using, of('b'), schema)).toBe('different')
    expect(kind('sqlite', using, of('a'), schema)).toBe('different')
    expect(kind('duckdb', using, of('b'))).toBe('different')
  })
})
