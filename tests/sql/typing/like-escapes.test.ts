import { DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, it } from 'vitest'
import { Sqlite as Database } from '../../../src/platform/sqlite.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { comparePair, kindBothWays } from '../dialect-pairs.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('a backslash in a pattern of LIKE', () => {
  it.each([
    ["postgres: s LIKE '50\\%'", "duckdb: s LIKE '50\\%'"],
    ["postgres: s LIKE 'a\\_b'", "trino: s LIKE 'a\\_b'"],
    ["snowflake: s LIKE 'a\\\\_b%'", "postgres: s LIKE 'a\\_b%'"],
    ["mysql: s LIKE '%\\_%'", "postgres: s ILIKE '%_%'"],
  ])('is a plain character in one of two dialects: %s is not equal to %s', (expected, generated) => {
    expect(kindBothWays(parser, expected, generated)).toBe('different')
  })

  it.each([
    ["spark: s LIKE 'a\\_b%'", "postgres: s LIKE 'a\\_b%'"],
    ["mysql: s LIKE 'a\\_b%'", "postgres: s ILIKE 'a\\_b%'"],
    ["bigquery: s LIKE 'a\\\\_b%'", "postgres: s LIKE 'a\\_b%'"],
    ["postgres: s LIKE 'a\\_b'", "trino: s LIKE 'a!_b' ESCAPE '!'"],
    ["postgres: s LIKE 'a\\_b'", "duckdb: s LIKE 'a\\_b' ESCAPE '\\'"],
    ["postgres: s LIKE 'a\\\\b'", "trino: s LIKE 'a\\b'"],
    ["sqlite: s LIKE 'a!_b' ESCAPE '!'", "postgres: s ILIKE 'A\\_B'"],
  ])('makes %s equal to %s', (expected, generated) => {
    expect(kindBothWays(parser, expected, generated)).toBe('equal')
  })

  it('is assumed not to be in patterns that are not literals', () => {
    expect(comparePair(parser, 'postgres: s LIKE p', 'duckdb: s LIKE p')).toMatchObject({
      kind: 'equal_if',
      assumptions: ['no pattern of LIKE has a backslash'],
    })
    expect(comparePair(parser, 'postgres: s LIKE p', 'spark: s LIKE p').kind).toBe('equal')
  })

  it('has the same meaning in the rows of both databases', async () => {
    const setup = "CREATE TABLE t (s TEXT); INSERT INTO t VALUES ('a_b'), ('axb'), ('a\\_b'), ('a\\xb')"
    const sqlite = new Database(':memory:')
    sqlite.exec(setup)
    const duckdb = await (await DuckDBInstance.create(':memory:')).connect()
    await duckdb.run(setup)
    for (const [condition, rows] of [
      ["s LIKE 'a\\_b'", ['a\\_b', 'a\\xb']],
      ["s LIKE 'a!_b' ESCAPE '!'", ['a_b']],
      ["s LIKE 'a\\_b' ESCAPE '\\'", ['a_b']],
    ] as const) {
      const sql = `SELECT s FROM t WHERE ${condition} ORDER BY s DESC`
      const found = sqlite.prepare(sql).raw(true).all() as unknown[][]
      expect(found.flat().sort()).toEqual([...rows].sort())
      expect((await duckdb.runAndReadAll(sql)).getRows().flat().sort()).toEqual([...rows].sort())
    }
    const [a, b] = ["sqlite: s LIKE 'a!_b' ESCAPE '!'", "duckdb: s ILIKE 'a\\_b' ESCAPE '\\'"]
    expect(kindBothWays(parser, a, b)).toBe('equal')
  })
})
