import { beforeAll, describe, expect, it } from 'vitest'
import { loadSqlParser, type SqlParser } from '../../src/sql/parser.js'
import { kindBothWays } from './dialect-pairs.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('names of two databases', () => {
  it.each([
    ['mysql: SELECT p.Name FROM People p', 'postgres: SELECT p."Name" FROM "People" p'],
    ['mysql: SELECT `District Code` FROM frpm', 'postgres: SELECT "District Code" FROM frpm'],
    ['sqlite: SELECT a FROM Dogs', 'bigquery: SELECT a FROM `Dogs`'],
    ['postgres: SELECT id FROM "order"', 'snowflake: SELECT id FROM "order"'],
    ['snowflake: SELECT "Value" FROM "Facts"', 'postgres: SELECT value FROM facts'],
    ['postgres: SELECT x."Id" FROM (SELECT "Id" FROM t) x', 'duckdb: SELECT x.id FROM (SELECT id FROM t) x'],
  ])('%s is %s: case is ignored where only one of the two keeps it', (expected, generated) => {
    expect(kindBothWays(parser, expected, generated)).toBe('equal')
  })

  it.each([
    ['two columns of a table', 'postgres: SELECT t.a, t."A" FROM t', 'mysql: SELECT t.a, t.a FROM t'],
    ['two tables', 'postgres: SELECT 1 FROM t, "T"', 'mysql: SELECT 1 FROM t, t AS u'],
    ['bare ones', 'postgres: SELECT a, "A" FROM t, u', 'mysql: SELECT a, a FROM t, u'],
    ['one dialect', 'postgres: SELECT "A" FROM t', 'postgres: SELECT a FROM t'],
  ])('%s that differ only in case are not equal', (_, expected, generated) => {
    expect(kindBothWays(parser, expected, generated)).toBe('different')
  })
})
