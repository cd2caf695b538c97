import { beforeAll, describe, expect, it } from 'vitest'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { kindBothWays } from '../dialect-pairs.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('FILTER within one dialect', () => {
  it.each([
    ['duckdb: count(*) FILTER (WHERE a > 1)', 'duckdb: count(CASE WHEN a > 1 THEN 7 END)', 'equal'],
    ['sqlite: sum(a) FILTER (WHERE b)', 'sqlite: sum(CASE WHEN b THEN a END)', 'equal'],
    ['sqlite: c, max(a) FILTER (WHERE b)', 'sqlite: c, max(CASE WHEN b THEN a END)', 'different'],
    ['duckdb: count(DISTINCT a) FILTER (WHERE b)', 'duckdb: count(DISTINCT CASE WHEN b THEN a END)', 'equal'],
    ['duckdb: array_agg(a) FILTER (WHERE b)', 'duckdb: array_agg(CASE WHEN b THEN a END)', 'different'],
    ['duckdb: count(*) FILTER (WHERE a > 1)', 'duckdb: count(CASE WHEN a > 1 THEN b END)', 'equal_if'],
  ])('%s and %s: %s', (expected, generated, kind) => {
    expect(kindBothWays(parser, expected, generated)).toBe(kind)
  })
})
