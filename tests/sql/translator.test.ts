import { beforeAll, describe, expect, it } from 'vitest'
import type { Dialect } from '../../src/enums/dialect.js'
import { translateSql } from '../../src/sql/translator.js'
import { type Engine, type QuerySetting, querySetting, rowsOf } from './in-memory-databases.js'

const ddl = 'CREATE TABLE t (a INTEGER, b INTEGER, c INTEGER, s VARCHAR);'
const rows = `INSERT INTO t VALUES (1, 2, 4, 'x'), (6, 3, 1, 'xy'), (0, 7, 5, 'z'), (9, NULL, 2, NULL);`

async function translated(sql: string, from: Dialect, to: Dialect): Promise<string> {
  const outcome = await translateSql(sql, from, to)
  if (outcome.kind === 'failed') throw new Error(outcome.message)
  return outcome.sql
}

describe('a query in another dialect', () => {
  let setting: QuerySetting
  beforeAll(async () => {
    setting = await querySetting(ddl, [rows])
  })

  it.each<[Engine, Engine, string]>([
    ['sqlite', 'duckdb', 'SELECT a | b & c AS x FROM t'],
    ['duckdb', 'sqlite', 'SELECT a | b & c AS x FROM t'],
    ['sqlite', 'duckdb', 'SELECT a & b << 1 AS x FROM t'],
    ['duckdb', 'sqlite', "SELECT s || a + c AS x FROM t WHERE s <> 'z'"],
    ['duckdb', 'sqlite', 'SELECT ~a + b AS x FROM t'],
    ['sqlite', 'duckdb', `SELECT "a" AS x FROM t WHERE NOT "s" LIKE 'x%'`],
  ])('of %s in %s gives the same rows: %s', async (from, to, sql) => {
    const given = await rowsOf(setting.runs.get(from) ?? [], sql)
    expect(given).toBeDefined()
    expect(await rowsOf(setting.runs.get(to) ?? [], await translated(sql, from, to))).toBe(given)
  })

  it.each<[Dialect, Dialect, string, string]>([
    ['bigquery', 'duckdb', 's || a + 1', '(s || a) + 1'],
    ['bigquery', 'trino', 'a + b || s', 'a + (b || s)'],
    ['postgres', 'sqlite', 's || a + 1', 's || (a + 1)'],
    ['mysql', 'postgres', 'a ^ b * c', '(a # b) * c'],
    ['sqlite', 'duckdb', 'a || b || c', 'a || b || c'],
    ['postgres', 'spark', 'a + b * c', 'a + b * c'],
    ['postgres', 'mysql', `NOT "S t" LIKE 'x'`, "NOT (`S t` LIKE 'x')"],
  ])('of %s in %s has brackets where they differ: %s', async (from, to, written, wanted) => {
    expect(await translated(`SELECT ${written} FROM t`, from, to)).toBe(`SELECT ${wanted} FROM t`)
  })
})
