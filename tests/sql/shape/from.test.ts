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

describe('queries in brackets in FROM', () => {
  it.each([
    [
      'SELECT t.a FROM (u JOIN v ON u.i = v.i) AS t',
      'SELECT t.a FROM (SELECT * FROM u JOIN v ON u.i = v.i) AS t',
    ],
    [
      'SELECT a FROM ((SELECT a FROM u UNION SELECT b FROM v)) AS t',
      'SELECT t.a FROM (SELECT a FROM u UNION SELECT b FROM v) AS t',
    ],
    ['SELECT t.c FROM ((SELECT a FROM u)) AS t(c)', 'SELECT a FROM u'],
  ])('%s', (a, b) => {
    expect(kind('postgres', a, b)).toBe('equal')
  })
})
