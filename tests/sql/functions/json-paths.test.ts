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

describe('paths in a VARIANT', () => {
  it.each(["GET_PATH(x, 'a.b')", "x['a']['b']", "GET(GET(x, 'a'), 'b')", 'x:a:b'])('%s is x:a.b', (path) => {
    expect(kind('snowflake', 'SELECT x:a.b FROM t', `SELECT ${path} FROM t`)).toBe('equal')
  })

  it.each(['x:"a.b"', 'x:A.b', "GET_PATH(x, 'a.c')"])('%s is not', (path) => {
    expect(kind('snowflake', 'SELECT x:a.b FROM t', `SELECT ${path} FROM t`)).toBe('different')
  })
})
