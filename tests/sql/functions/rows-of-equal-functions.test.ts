import { DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, it } from 'vitest'
import { Sqlite as Database } from '../../../src/platform/sqlite.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { kindBothWays } from '../dialect-pairs.js'

const setup = `CREATE TABLE t (id INTEGER, n INTEGER, m INTEGER, s TEXT, d DATE);
  INSERT INTO t VALUES (1, 7, 2, 'abcd', '2024-01-07'), (2, -7, 0, 'x', '2024-01-08'), (3, 5, NULL, '', '2023-12-31'),
    (4, NULL, 3, NULL, NULL), (5, 6, 2, 'a,b', '2024-02-29'), (6, 6, 2, 'b,a,', '2024-03-01');`

type Run = (expression: string) => Promise<readonly string[]>
const runs = new Map<string, Run>()
let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
  const sqlite = new Database(':memory:')
  sqlite.exec(setup)
  runs.set('sqlite', async (expression) =>
    shown(sqlite.prepare(`SELECT ${expression} FROM t`).raw(true).all() as unknown[][]),
  )
  const duckdb = await (await DuckDBInstance.create(':memory:')).connect()
  await duckdb.run(setup)
  runs.set('duckdb', async (expression) =>
    shown((await duckdb.runAndReadAll(`SELECT ${expression} FROM t`)).getRows()),
  )
})

/** Cells as texts: 1 and 1.0, true and 1, a date and its midnight are one. */
function shown(rows: readonly (readonly unknown[])[]): readonly string[] {
  const cell = (value: unknown): string =>
    typeof value === 'number'
      ? String(Number(value.toPrecision(9)))
      : typeof value === 'boolean'
        ? String(Number(value))
        : String(value).replace(/ 00:00:00$/u, '')
  return rows.map((row) => row.map(cell).join(' | ')).sort()
}

async function rowsOf(side: string): Promise<readonly string[]> {
  const at = side.indexOf(':')
  const run = runs.get(side.slice(0, at))
  if (run === undefined) throw new Error(`${side}: no engine for it`)
  return run(side.slice(at + 1))
}

describe('calls that are equal have the same rows', () => {
  it.each([
    ['sqlite: substr(s, -3)', 'duckdb: right(s, 3)'],
    ['duckdb: substr(s, -3)', 'duckdb: right(s, 3)'],
    ["duckdb: string_split(s, ',')[1]", "duckdb: split_part(s, ',', 1)"],
    ['sqlite: sum(n) * 1.0 / count(n)', 'sqlite: avg(n)'],
    [
      'duckdb: sum(CASE WHEN n > 5 THEN 1 ELSE 0 END) / count(*)',
      'duckdb: avg(CASE WHEN n > 5 THEN 1 ELSE 0 END)',
    ],
    ['sqlite: 100.0 * sum(n) / count(*)', 'duckdb: 100 * sum(n) / count(*)'],
    ['sqlite: n / nullif(m, 0)', 'sqlite: n / m'],
    ['sqlite: n * 1.0 / m', 'duckdb: n / nullif(m, 0)'],
    ['sqlite: n * 1.0 / 2', 'duckdb: n / 2'],
    ['sqlite: n % nullif(m, 0)', 'sqlite: CASE WHEN m = 0 THEN NULL ELSE n % m END', 'different'],
    ['sqlite: CASE WHEN m = 0 THEN NULL ELSE n * 1.0 / m END', 'sqlite: n * 1.0 / m'],
    ['duckdb: CASE WHEN m <> 0 THEN n / m END', 'duckdb: n / nullif(m, 0)'],
    ['duckdb: CASE WHEN m = 0 THEN NULL ELSE round(n / m, 1) END', 'duckdb: round(n / nullif(m, 0), 1)'],
    ["duckdb: starts_with(s, 'a')", "duckdb: s LIKE 'a%'"],
    ["duckdb: left(s, 2) = 'ab'", "duckdb: s LIKE 'ab%'"],
    ["duckdb: instr(s, ',') > 0", "duckdb: s LIKE '%,%'"],
    ["duckdb: suffix(s, ',')", "duckdb: s LIKE '%,'"],
    ['sqlite: n >> 1', 'duckdb: n >> 1'],
    ['sqlite: ~n', 'duckdb: ~n'],
    ["sqlite: date(d, 'weekday 0', '-6 days')", "duckdb: date_trunc('week', d)"],
    ["sqlite: date(d, '-6 days', 'weekday 1')", "duckdb: date_trunc('week', d)"],
    ["sqlite: date(d, 'start of month')", "duckdb: date_trunc('month', d)"],
    ['sqlite: date(d)', "duckdb: date_trunc('day', d)"],
    ["sqlite: strftime('%Y-%m-01', d)", "duckdb: date_trunc('month', d)"],
    ["sqlite: CAST(strftime('%Y', d) AS INTEGER)", 'duckdb: CAST(year(d) AS INTEGER)'],
    ['duckdb: list_slice([n, m, id], 2, 9)', 'duckdb: ([n, m, id])[2:9]'],
    ['duckdb: list(n ORDER BY id)', 'duckdb: array_agg(n ORDER BY id)'],
    ['duckdb: n IS DISTINCT FROM m', 'sqlite: n IS NOT m'],
    ['duckdb: n IS NOT DISTINCT FROM m', 'sqlite: n IS m'],
  ])('%s and %s', async (expected, generated, wanted = 'equal') => {
    expect(kindBothWays(parser, expected, generated)).toBe(wanted)
    expect(await rowsOf(generated)).toEqual(await rowsOf(expected))
  })
})

describe('calls of other rows are not equal', () => {
  it.each([
    ['sqlite: n / m', 'duckdb: n / m'],
    ['sqlite: n * 1.0 / m', 'duckdb: n / m'],
    ['sqlite: CAST(n / 8.0 AS DECIMAL(9, 1))', 'duckdb: CAST(n / 8 AS DECIMAL(9, 1))'],
    [
      "duckdb: CAST(date_trunc('day', d) AS TEXT) || 'x'",
      "duckdb: CAST(strftime(d, '%Y-%m-%d') AS TEXT) || 'x'",
    ],
    ['sqlite: CAST(n AS DECIMAL) / m', 'sqlite: CAST(n AS REAL) / m'],
    ['sqlite: sum(n) * 1.0 / count(*)', 'sqlite: avg(n)'],
    ['duckdb: n / m', 'duckdb: n / nullif(m, 0)'],
    ['sqlite: sum(n) / count(n)', 'sqlite: avg(n)'],
    ["sqlite: instr(s, 'A') > 0", "sqlite: s LIKE '%A%'"],
    ["duckdb: left(s, 2) = 'a'", "duckdb: s LIKE 'a%'"],
    ["sqlite: date(d, 'weekday 1', '-7 days')", "duckdb: date_trunc('week', d)"],
    ['sqlite: substr(s, -3, 2)', 'duckdb: right(s, 3)'],
    ['sqlite: group_concat(id ORDER BY n)', "duckdb: string_agg(id, ',' ORDER BY n)"],
  ])('%s and %s', async (expected, generated) => {
    expect(kindBothWays(parser, expected, generated)).not.toBe('equal')
    expect(await rowsOf(generated)).not.toEqual(await rowsOf(expected))
  })
})
