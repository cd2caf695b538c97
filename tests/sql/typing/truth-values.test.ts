import { beforeAll, describe, expect, it } from 'vitest'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { kindBothWays } from '../dialect-pairs.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('truth values', () => {
  it.each([
    ['postgres: SELECT b FROM t WHERE a', 'sqlite: SELECT b FROM t WHERE a = 1', 'equal'],
    ['postgres: SELECT b FROM t WHERE NOT a', 'mysql: SELECT b FROM t WHERE a = 0', 'equal'],
    ['postgres: SELECT b FROM t WHERE a = false', 'bigquery: SELECT b FROM t WHERE NOT a', 'equal'],
    ['trino: sum(CASE WHEN a THEN b END)', 'sqlite: sum(CASE WHEN a = 1 THEN b END)', 'equal'],
    ['postgres: SELECT b FROM t WHERE a = 1', 'sqlite: SELECT b FROM t WHERE a', 'different'],
    ['postgres: SELECT b FROM t WHERE a', 'sqlite: SELECT b FROM t WHERE a = 2', 'different'],
    ['postgres: SELECT b FROM t WHERE a', 'sqlite: SELECT b FROM t WHERE a = 0', 'different'],
    ['duckdb: SELECT b FROM t WHERE a', 'mysql: SELECT b FROM t WHERE a = 1', 'different'],
  ])('%s and %s: %s', (expected, generated, kind) => {
    expect(kindBothWays(parser, expected, generated)).toBe(kind)
  })
})
