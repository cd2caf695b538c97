import { beforeAll, describe, expect, it } from 'vitest'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { kindBothWays } from '../dialect-pairs.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('escapes in the texts of one dialect', () => {
  it.each([
    ["mysql: s LIKE '%\\_%'", "mysql: s LIKE '%_%'"],
    ["mysql: s LIKE '50\\%'", "mysql: s LIKE '50%'"],
    ["spark: s LIKE 'a\\_b%'", "spark: s LIKE 'a_b%'"],
    ["spark: s RLIKE '\\d+'", "spark: s RLIKE '\\\\d+'"],
  ])('%s is not %s', (expected, generated) => {
    expect(kindBothWays(parser, expected, generated)).toBe('different')
  })

  it.each([
    ["mysql: s LIKE '50\\%'", "mysql: s LIKE '50\\\\%'"],
    ["mysql: s = 'it\\'s'", "mysql: s = 'it''s'"],
    ['mysql: s LIKE "50\\%"', "mysql: s LIKE '50\\%'"],
    ["spark: s LIKE 'a\\_b%'", "spark: s LIKE r'a\\_b%'"],
    ["spark: s RLIKE r'\\d+'", "spark: s RLIKE '\\\\d+'"],
    ["spark: s RLIKE '\\d+'", "spark: s RLIKE 'd+'"],
  ])('%s is %s', (expected, generated) => {
    expect(kindBothWays(parser, expected, generated)).toBe('equal')
  })
})
