import { beforeAll, describe, expect, it } from 'vitest'
import { loadSqlParser, type SqlParser } from '../../../../src/sql/parser.js'
import { parseSchema } from '../../../../src/sql/tables/load-schema.js'
import { comparePair } from '../../dialect-pairs.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('a text that spells a number', () => {
  const schema = () => parseSchema(parser, 'CREATE TABLE t (a INTEGER, b VARCHAR)', 'postgres')

  it.each([
    ["sqlite: SELECT b FROM t WHERE a = '1970'", 'mysql: SELECT b FROM t WHERE a = 1970', 'equal'],
    ["mysql: SELECT b FROM t WHERE a = '1970'", 'mysql: SELECT b FROM t WHERE a = 1970', 'equal'],
    ["postgres: SELECT b FROM t WHERE a < '7'", 'postgres: SELECT b FROM t WHERE a < 7', 'equal'],
    ["mysql: SELECT a FROM t WHERE b = '1970'", 'mysql: SELECT a FROM t WHERE b = 1970', 'different'],
    ["mysql: SELECT b FROM t WHERE a = '1970a'", 'mysql: SELECT b FROM t WHERE a = 1970', 'different'],
    ["trino: SELECT b FROM t WHERE a = '1970'", 'trino: SELECT b FROM t WHERE a = 1970', 'different'],
  ])('is one beside a column of numbers: %s and %s: %s', (expected, generated, kind) => {
    expect(comparePair(parser, expected, generated, { schema: schema() }).kind).toBe(kind)
  })
})
