import { beforeAll, describe, expect, it } from 'vitest'
import type { Dialect } from '../../../../src/enums/dialect.js'
import { compareQueries } from '../../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../../src/sql/parser.js'
import { parseSchema } from '../../../../src/sql/tables/load-schema.js'
import { type Engine, rowsOfScript } from '../../in-memory-databases.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

function kindOf(engine: Engine, a: string, b: string, schema?: string): string {
  const options = schema === undefined ? {} : { schema: parseSchema(parser, schema, engine) }
  return compareQueries(parser, a, b, engine, options).kind
}

describe('texts that look alike are not equal', () => {
  const pairs: readonly [string, string, string, string][] = [
    ['ſ in the other case', "SELECT 'ſ' AS x", 'SELECT lower(upper(x)) FROM t', 'SELECT lower(x) FROM t'],
    ['İ in the other case', "SELECT 'İ' AS x", 'SELECT upper(lower(x)) FROM t', 'SELECT upper(x) FROM t'],
    [
      'ı in capitals',
      "SELECT 'ı' AS x",
      "SELECT x FROM t WHERE upper(x) LIKE 'I%'",
      "SELECT x FROM t WHERE lower(x) LIKE 'i%'",
    ],
    [
      'one day in two spellings',
      "SELECT DATE '2025-01-05' AS x",
      "SELECT x FROM t WHERE x = DATE '2025-1-5' AND x = DATE '2025-01-05'",
      'SELECT x FROM t WHERE FALSE',
    ],
    [
      'a number that is taken for true',
      'SELECT 5 AS x',
      'SELECT CAST(TRUE AND x AS TEXT) FROM t',
      'SELECT CAST(x AS TEXT) FROM t',
    ],
  ]
  it.each(pairs)('%s', async (_, table, a, b) => {
    const setup = `CREATE TABLE t AS ${table}`
    const [left, right] = await Promise.all([a, b].map((sql) => rowsOfScript('duckdb', setup, sql)))
    expect(left).not.toEqual(right)
    expect(kindOf('duckdb', a, b)).toBe('different')
  })

  const kind = (dialect: Dialect, a: string, b: string) => compareQueries(parser, a, b, dialect).kind

  it('of texts that a column of days takes for one day', () => {
    const a = "SELECT x FROM t WHERE x = 'Jan 5, 2025' AND x = 'January 5, 2025'"
    expect(kind('postgres', a, 'SELECT x FROM t WHERE FALSE')).toBe('different')
    const words = "SELECT x FROM t WHERE x = 'paid' AND x = 'open'"
    expect(kind('postgres', words, 'SELECT x FROM t WHERE FALSE')).toBe('equal')
    const moved = "SELECT x FROM t WHERE x > DATE '2025-2-30' - INTERVAL '1' DAY"
    expect(kind('postgres', moved, moved.toLowerCase())).toBe('equal')
  })

  it('of LIKE in MySQL, where the collation says whether case matters', () => {
    const plain = "SELECT x FROM t WHERE x LIKE 'a%'"
    expect(kind('mysql', plain, "SELECT x FROM t WHERE lower(x) LIKE 'a%'")).toBe('different')
    expect(kind('mysql', plain, "SELECT x FROM t WHERE x LIKE 'A%'")).toBe('different')
    expect(kind('sqlite', plain, "SELECT x FROM t WHERE upper(x) LIKE 'A%'")).toBe('equal')
    expect(
      kind('postgres', "SELECT x FROM t WHERE x ILIKE 'A%'", "SELECT x FROM t WHERE lower(x) LIKE 'a%'"),
    ).toBe('equal')
  })

  it('of TRUE AND a condition, where numbers are no truth values', () => {
    expect(kind('ansi', 'SELECT TRUE AND t.a FROM t', 'SELECT t.a FROM t')).toBe('equal')
    expect(kind('ansi', 'SELECT FALSE OR t.a FROM t', 'SELECT t.a FROM t')).toBe('equal')
    expect(kind('sqlite', 'SELECT TRUE AND t.a FROM t', 'SELECT t.a FROM t')).toBe('different')
  })
})
