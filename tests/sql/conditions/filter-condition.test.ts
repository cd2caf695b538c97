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

describe('numbers as conditions', () => {
  it.each(['WHERE 1', 'WHERE 1 <> 0', 'WHERE NOT 0', 'WHERE a = a OR 1'])(
    '%s leaves nothing out',
    (where) => {
      expect(kind('mysql', 'SELECT b FROM t', `SELECT b FROM t ${where}`)).toBe('equal')
    },
  )

  it('are no values', () => {
    expect(kind('mysql', 'SELECT b FROM t WHERE a = 1', 'SELECT b FROM t WHERE a')).toBe('different')
  })
})
