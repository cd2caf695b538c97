import { beforeAll, describe, expect, it } from 'vitest'
import { compareQueryPair } from '../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { parseSchema } from '../../../src/sql/tables/load-schema.js'
import { rowsOf, runsOf } from '../in-memory-databases.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('a text compared with a column in two databases', () => {
  it('means the same in both where it is a day in full', () => {
    const sql = "SELECT k FROM t WHERE x >= '2024-01-01' AND x < '2025-01-01'"
    const [a, b] = [{ sql, dialect: 'sqlite' } as const, { sql, dialect: 'duckdb' } as const]
    for (const schema of [
      undefined,
      ...['TEXT', 'DATE'].map((type) => `CREATE TABLE t (k INTEGER, x ${type})`),
    ]) {
      const options = schema === undefined ? {} : { schema: parseSchema(parser, schema, 'ansi') }
      expect(compareQueryPair(parser, a, b, options).kind).toBe('equal')
    }
  })

  it.each([
    ["SELECT k FROM t WHERE x = '2024-1-1'", 't.x holds texts'],
    ["SELECT k FROM t WHERE x < '2024/01/02'", 't.x holds texts'],
    ["SELECT k FROM t WHERE x >= '2024-01-01 10:00:00'", 't.x holds no days'],
    ["SELECT k FROM t WHERE x IN ('2024-1-1', '2025-01-01')", 't.x holds texts'],
  ])('means the same in both only where columns hold texts: %s', async (sql, assumption) => {
    const rows = "INSERT INTO t VALUES (1, '2024-01-01'), (2, '2024-01-05'), (3, NULL);"
    const [texts, days] = await Promise.all([
      runsOf('sqlite', 'CREATE TABLE t (k INTEGER, x DATE);', [rows]),
      runsOf('duckdb', 'CREATE TABLE t (k INTEGER, x DATE);', [rows]),
    ])
    expect(await rowsOf(texts, sql)).not.toBe(await rowsOf(days, sql))
    const sides = [
      { sql, dialect: 'sqlite' },
      { sql, dialect: 'duckdb' },
    ] as const
    const ask = (type: string | undefined) => {
      const schema = type && parseSchema(parser, `CREATE TABLE t (k INTEGER, x ${type})`, 'ansi')
      return sides.map((side, at) =>
        compareQueryPair(parser, side, sides[1 - at] ?? side, schema ? { schema } : {}),
      )
    }
    for (const finding of ask(undefined))
      expect(finding).toMatchObject({ kind: 'equal_if', assumptions: [assumption] })
    for (const finding of ask('TEXT')) expect(finding.kind).toBe('equal')
    for (const finding of ask('DATE')) expect(finding.kind).toBe('different')
  })
})
