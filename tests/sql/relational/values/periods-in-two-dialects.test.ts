import { beforeAll, describe, expect, it } from 'vitest'
import { loadSqlParser, type SqlParser } from '../../../../src/sql/parser.js'
import { parseSchema } from '../../../../src/sql/tables/load-schema.js'
import { comparePair } from '../../dialect-pairs.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

const ddl = 'CREATE TABLE t (d DATE, ts TIMESTAMP, z TIMESTAMP WITH TIME ZONE, s TEXT, n INTEGER)'

/** Both ways, with the schema or without it. */
function kindOf(one: string, other: string, schemaText = ddl): string {
  const options = schemaText === '' ? {} : { schema: parseSchema(parser, schemaText, 'ansi') }
  const where = (text: string): string =>
    text.replace(/^(\w+): (.*)$/u, '$1: SELECT count(*) FROM t WHERE $2')
  const { kind } = comparePair(parser, where(one), where(other), options)
  expect(comparePair(parser, where(other), where(one), options).kind).toBe(kind)
  return kind
}

const year = "trino: d >= DATE '2025-01-01' AND d < DATE '2026-01-01'"
const month = "duckdb: ts >= TIMESTAMP '2025-03-01' AND ts < TIMESTAMP '2025-04-01'"

describe('a period of the calendar, asked for in two dialects', () => {
  it.each([
    [year, 'postgres: extract(year from d) = 2025'],
    [year, 'mysql: YEAR(d) = 2025'],
    [year, 'bigquery: EXTRACT(YEAR FROM d) = 2025'],
    [year, "duckdb: date_trunc('year', d) = DATE '2025-01-01'"],
    [year, "snowflake: d BETWEEN '2025-01-01' AND '2025-12-31'"],
    [year, "spark: d <= DATE '2025-12-31' AND d > '2024-12-31'"],
    ['trino: year(d) = 2025', "mysql: d >= '2025-01-01' AND d < '2026-01-01'"],
    [month, "postgres: date_trunc('month', ts) = '2025-03-01'"],
    [month, 'mysql: YEAR(ts) = 2025 AND MONTH(ts) = 3'],
    [month, "spark: date_format(ts, 'yyyy-MM') = '2025-03'"],
    ["postgres: ts::date = '2025-03-09'", "mysql: ts >= '2025-03-09' AND ts < '2025-03-10'"],
  ])('%s is %s where the schema knows the type', (one, other) => {
    expect(kindOf(one, other)).toBe('equal')
  })

  it.each([
    [year, 'postgres: extract(year from d) = 2024'],
    [year, "snowflake: d BETWEEN '2025-01-01' AND '2025-12-30'"],
    // A moment of the last day is after its beginning.
    ['postgres: extract(year from ts) = 2025', "mysql: ts BETWEEN '2025-01-01' AND '2025-12-31'"],
    ["trino: z >= DATE '2025-01-01' AND z < DATE '2026-01-01'", 'postgres: extract(year from z) = 2025'],
    ["postgres: s >= '2025-01-01' AND s < '2026-01-01'", 'mysql: YEAR(s) = 2025'],
    // SQLite keeps texts, '2025-01-01 10:00:00' among them.
    ["sqlite: d <= '2025-01-01'", "postgres: d < '2025-01-02'"],
    // The weeks of one begin on a Sunday, and those of the other on a Monday.
    ["bigquery: DATE_TRUNC(d, WEEK) = '2025-03-03'", "postgres: date_trunc('week', d) = '2025-03-03'"],
  ])('%s is not %s', (one, other) => {
    expect(kindOf(one, other)).not.toBe('equal')
  })

  it('is not rewritten where no schema has the type', () => {
    expect(kindOf(year, 'postgres: extract(year from d) = 2025', '')).toBe('different')
  })
})
