import { beforeAll, describe, expect, it } from 'vitest'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { parseSchema } from '../../../src/sql/tables/load-schema.js'
import { comparePair } from '../dialect-pairs.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('a type that is assumed', () => {
  it.each([
    ['is not two types at once', 'postgres: CAST(a AS date)', 'postgres: CAST(a AS timestamp)'],
    ['is none in SQLite', 'sqlite: CAST(a AS integer)', 'sqlite: a'],
  ])('%s: %s and %s', (_, expected, generated) => {
    expect(comparePair(parser, expected, generated).kind).toBe('different')
  })

  it('is not assumed where a schema has another type', () => {
    const schema = parseSchema(parser, 'CREATE TABLE t (a VARCHAR)', 'postgres')
    expect(comparePair(parser, 'postgres: CAST(a AS date)', 'postgres: a', { schema }).kind).toBe('different')
  })

  it('is reported only where it is needed', () => {
    const finding = comparePair(
      parser,
      'postgres: SELECT count(a), CAST(b AS date) FROM t',
      'postgres: SELECT count(a), b FROM t',
    )
    expect(finding).toMatchObject({ kind: 'equal_if', assumptions: ['t.b has the type date'] })
  })
})
