import { beforeAll, describe, expect, it } from 'vitest'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { comparePair } from '../dialect-pairs.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

function kind(expected: string, generated: string): string {
  return comparePair(parser, expected, generated).kind
}

describe('syntax that databases read and the parser library does not', () => {
  it.each([
    [
      'sqlite: SELECT top.a FROM b JOIN t10 top ON top.a = b.a',
      'sqlite: SELECT x.a FROM b JOIN t10 x ON x.a = b.a',
    ],
    ['bigquery: SELECT table.a FROM b table', 'bigquery: SELECT x.a FROM b x'],
    ['postgres: SELECT * FROM (SELECT 1 AS a) apply', 'postgres: SELECT * FROM (SELECT 1 AS a) x'],
    ['snowflake: SELECT top.a FROM b top', 'snowflake: SELECT TOP.a FROM b "TOP"'],
    ['snowflake: SELECT a[0]:r::STRING FROM t', "snowflake: SELECT GET_PATH(a[0], 'r')::STRING FROM t"],
    ['snowflake: SELECT f(x, 1)[0]:r.s[1] FROM t', "snowflake: SELECT GET_PATH(f(x, 1)[0], 'r.s[1]') FROM t"],
    ['snowflake: SELECT t.a::variant:url FROM t', "snowflake: SELECT GET_PATH(t.a::variant, 'url') FROM t"],
    ['snowflake: SELECT (a::variant):b FROM t', "snowflake: SELECT GET_PATH(a::variant, 'b') FROM t"],
    ['duckdb: SELECT a IS NULL::BOOLEAN FROM t', 'duckdb: SELECT a IS NULL FROM t'],
    ['duckdb: SELECT a IS NOT NULL::BOOLEAN FROM t', 'duckdb: SELECT a IS NOT NULL FROM t'],
    ['duckdb: SELECT a FROM m TABLESAMPLE 50 PERCENT', 'duckdb: SELECT a FROM m TABLESAMPLE (50 PERCENT)'],
    [
      "duckdb: SELECT LISTAGG(s, ', ' ORDER BY s) FROM t",
      "duckdb: SELECT STRING_AGG(s, ', ' ORDER BY s) FROM t",
    ],
    ['bigquery: SELECT INSTR(a, b, 1, 2) FROM t', 'bigquery: SELECT instr(a, b, 1, 2) FROM t'],
    [
      'spark: SELECT x.a FROM x LEFT JOIN LATERAL a.b.f(x.a) AS y(z)',
      'spark: SELECT x.a FROM x LEFT JOIN LATERAL a.b.f(x.a) y(z)',
    ],
    [
      "postgres: SELECT ct.a FROM crosstab('x') ct(a INTEGER, b TEXT)",
      "postgres: SELECT ct.a FROM crosstab('x') AS ct(a INTEGER, b TEXT)",
    ],
    ["mysql: SELECT a # it's a comment\nFROM t", 'mysql: SELECT a FROM t'],
    ["mysql: SELECT '# a', `#b`, a # c -- d\nFROM t", "mysql: SELECT '# a', `#b`, a FROM t"],
  ])('%s is %s', (expected, generated) => {
    expect(kind(expected, generated)).toBe('equal')
  })

  it.each([
    ['snowflake: SELECT a[0]:r FROM t', 'snowflake: SELECT a[0]:s FROM t'],
    ['snowflake: SELECT a[0]:r FROM t', 'snowflake: SELECT a[1]:r FROM t'],
    ['duckdb: SELECT a IS NULL::BOOLEAN FROM t', 'duckdb: SELECT a IS NOT NULL::BOOLEAN FROM t'],
    ['duckdb: SELECT a FROM m TABLESAMPLE 50 PERCENT', 'duckdb: SELECT a FROM m TABLESAMPLE 5 PERCENT'],
    ['bigquery: SELECT INSTR(a, b, 1, 2) FROM t', 'bigquery: SELECT INSTR(a, b, 1, 3) FROM t'],
    ['sqlite: SELECT top.a FROM b JOIN t10 top', 'sqlite: SELECT b.a FROM b JOIN t10 top'],
    ["mysql: SELECT '#a' # c\nFROM t", "mysql: SELECT '#b' FROM t"],
  ])('%s is not %s', (expected, generated) => {
    expect(kind(expected, generated)).toBe('different')
  })

  it('reports the error in the text as written where no other spelling is read', () => {
    expect(
      comparePair(parser, 'duckdb: SELECT a FROM m TABLESAMPLE 50 PERCENT WHERE (', 'duckdb: SELECT 1'),
    ).toEqual({
      kind: 'unparsable',
      side: 'expected',
      message: expect.stringContaining('got Number'),
    })
  })
})
