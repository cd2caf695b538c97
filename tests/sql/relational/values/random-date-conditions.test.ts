import { DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, it } from 'vitest'
import { Sqlite as Database } from '../../../../src/platform/sqlite.js'
import { canonicalForm } from '../../../../src/sql/canonical-form.js'
import { compareQueries } from '../../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../../src/sql/parser.js'
import { parseSchema, type Schema } from '../../../../src/sql/tables/load-schema.js'

type Run = (condition: string) => Promise<string>

let parser: SqlParser
const schemas = new Map<string, Schema>()
const duckdb = new Map<string, Run>()
const sqlite = new Map<string, Run>()

const days = [
  '2019-12-31',
  '2020-01-01',
  '2020-02-29',
  '2020-03-01',
  '2020-03-31',
  '2020-04-01',
  '2020-12-30',
]
const later = [
  '2020-12-31',
  '2021-01-01',
  '2021-01-04',
  '2021-03-01',
  '2021-12-31',
  '2022-01-01',
  '1999-05-05',
]
const times = ['00:00:00', '00:00:01', '12:30:00', '23:59:59']

function rowsOf(hasTimes: boolean): readonly string[] {
  const all = [...days, ...later]
  return hasTimes ? all.flatMap((day) => times.map((time) => `${day} ${time}`)) : all
}

beforeAll(async () => {
  parser = await loadSqlParser()
  for (const type of ['DATE', 'TIMESTAMP']) {
    const ddl = `CREATE TABLE t (id INTEGER, d ${type})`
    schemas.set(type, parseSchema(parser, ddl, 'duckdb'))
    const values = rowsOf(type === 'TIMESTAMP').map((row, at) => `(${at}, '${row}')`)
    const insert = `INSERT INTO t VALUES ${values.join(', ')}, (99, NULL)`
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    await connection.run(ddl)
    await connection.run(insert)
    const query = (condition: string): string =>
      `SELECT id, (${condition}) FROM t WHERE ${condition} ORDER BY id`
    duckdb.set(type, async (condition) =>
      JSON.stringify((await connection.runAndReadAll(query(condition))).getRowsJson()),
    )
    const database = new Database(':memory:')
    database.exec('CREATE TABLE t (id INTEGER, d TEXT)')
    database.exec(insert)
    sqlite.set(type, async (condition) => JSON.stringify(database.prepare(query(condition)).raw(true).all()))
  }
})

const ops = ['=', '<>', '<', '<=', '>', '>=']
const each = (make: (op: string) => string): readonly string[] => ops.map(make)

/** Conditions on `d`, in DuckDB. */
const conditions: readonly string[] = [
  ...each((op) => `year(d) ${op} 2020`),
  ...each((op) => `extract(year FROM d) ${op} 2021`),
  ...each((op) => `date_trunc('year', d) ${op} DATE '2020-01-01'`),
  ...each((op) => `date_trunc('month', d) ${op} DATE '2020-03-01'`),
  ...each((op) => `date_trunc('month', d) ${op} DATE '2020-03-15'`),
  ...each((op) => `date_trunc('quarter', d) ${op} DATE '2020-01-01'`),
  ...each((op) => `date_trunc('week', d) ${op} DATE '2021-01-04'`),
  ...each((op) => `date_trunc('week', d) ${op} DATE '2021-01-01'`),
  ...each((op) => `strftime(d, '%Y-%m') ${op} '2020-03'`),
  ...each((op) => `strftime(d, '%Y-%m-%d') ${op} '2020-02-29'`),
  ...each((op) => `CAST(d AS DATE) ${op} DATE '2020-12-31'`),
  ...each((op) => `d ${op} DATE '2020-12-31'`),
  ...each((op) => `d ${op} '2021-01-01'`),
  ...each((op) => `d ${op} TIMESTAMP '2020-12-31 23:59:59'`),
  ...each((op) => `d ${op} TIMESTAMP '2021-01-01 00:00:00'`),
  ...each((op) => `d ${op} TIMESTAMP '2020-03-31 12:30:00'`),
  ...[
    'year(d) IN (2020, 2021)',
    'year(d) BETWEEN 2020 AND 2021',
    'NOT year(d) = 2020',
    'year(d) = 2020 AND month(d) = 3',
  ],
  ...[
    'year(d) = 2020 AND quarter(d) = 1',
    'year(d) = 2020 AND month(d) = 13',
    'year(d) = 2020 OR month(d) = 3',
  ],
  ...[
    "d >= DATE '2020-01-01' AND d < DATE '2021-01-01'",
    "d BETWEEN DATE '2020-01-01' AND DATE '2020-12-31'",
  ],
  ...[
    "d >= '2020-03-01' AND d < '2020-04-01'",
    "d BETWEEN '2020-03-01' AND '2020-03-31'",
    "d >= '2020-01-01'",
  ],
  ...[
    "d >= '2020-01-01' AND d < '2020-04-01'",
    "d BETWEEN '2020-01-01' AND '2021-12-31'",
    "d < '2022-01-01'",
  ],
  ...["d >= '2020-01-01' AND d < '2022-01-01'", "d = '2020-02-29'", "d >= '2020-02-29' AND d < '2020-03-01'"],
  ...["substr(CAST(d AS VARCHAR), 1, 7) = '2020-03'", "CAST(d AS VARCHAR) LIKE '2020%'", "d >= '2020-12-31'"],
  ...[
    "CAST(d AS VARCHAR) LIKE '2020-02-29%'",
    "NOT (CAST(d AS VARCHAR) LIKE '2020-03%')",
    "d <= '2020-12-31'",
  ],
  ...["year(d) = 2020 AND d < '2020-04-01'", "d > '2020-12-31'", "d > '2021-01-01' OR d IS NULL"],
]

/** Conditions on `d`, a text, in SQLite. */
const ofTexts: readonly string[] = [
  ...each((op) => `strftime('%Y', d) ${op} '2020'`),
  ...each((op) => `CAST(strftime('%Y', d) AS INTEGER) ${op} 2020`),
  ...each((op) => `strftime('%Y-%m', d) ${op} '2020-03'`),
  ...each((op) => `date(d) ${op} '2020-12-31'`),
  ...each((op) => `d ${op} '2020-12-31'`),
  ...each((op) => `d ${op} '2021-01-01'`),
  ...each((op) => `d ${op} date('2021-01-01')`),
  ...each((op) => `d ${op} '2020-12-31 23:59:59'`),
  ...each((op) => `d ${op} '2021-01-01 00:00:00'`),
  ...each((op) => `d ${op} '2021-01-01T00:00:00'`),
  ...each((op) => `date(d) ${op} '2020-12-31T00:00:00'`),
  ...[
    "d BETWEEN '2020-01-01 00:00:00' AND '2020-12-31 23:59:59'",
    "d BETWEEN '2020-03-01 00:00:00' AND '2020-03-31 23:59:59'",
    "d >= '2020-03-01 00:00:00' AND d < '2020-04-01 00:00:00'",
  ],
  ...[
    "d LIKE '2020%'",
    "d LIKE '2020-03%'",
    "d LIKE '2020-02-29%'",
    "substr(d, 1, 4) = '2020'",
    "d NOT LIKE '2020-%'",
  ],
  ...[
    "substr(d, 1, 7) = '2020-03'",
    "d BETWEEN '2020-01-01' AND '2020-12-31'",
    "d >= '2020-01-01' AND d < '2021-01-01'",
  ],
  ...["strftime('%Y', d) = '2020' AND strftime('%m', d) = '03'", "d BETWEEN '2020-03-01' AND '2020-03-31'"],
]

function isTold(assumptions: readonly string[], type: string): boolean {
  const others = type === 'DATE' ? "t.d holds times like '2025-01-31 23:59:59'" : 't.d holds days'
  return !assumptions.includes(others)
}

describe('conditions on dates of one canonical form', () => {
  it.each(['DATE', 'TIMESTAMP'])('have the same rows where the schema says %s', async (type) => {
    const byForm = new Map<string, Set<string>>()
    for (const condition of conditions) {
      const sql = `SELECT id FROM t WHERE ${condition}`
      const form = canonicalForm(parser, sql, 'duckdb', schemas.get(type)) ?? ''
      byForm.set(form, (byForm.get(form) ?? new Set()).add((await duckdb.get(type)?.(condition)) ?? ''))
    }
    expect([...byForm].filter(([, rows]) => rows.size > 1)).toEqual([])
    expect(byForm.size).toBeLessThan(conditions.length * 0.75)
  })

  it.each([
    ['duckdb', conditions, duckdb, 120],
    ['sqlite', ofTexts, sqlite, 60],
  ] as const)(
    'have the same rows in %s where nothing says what they are but what is assumed',
    async (...row) => {
      const [dialect, all, runs, atLeast] = row
      let told = 0
      for (const [a, b] of pairsOf(all)) {
        const [left, right] = [`SELECT id FROM t WHERE ${a}`, `SELECT id FROM t WHERE ${b}`]
        const finding = compareQueries(parser, left, right, dialect)
        if (finding.kind !== 'equal' && finding.kind !== 'equal_if') continue
        const assumptions = finding.assumptions ?? []
        for (const [type, run] of runs) {
          if (!isTold(assumptions, type)) continue
          expect(await run(a), `${a}, ${b}: ${assumptions.join()}`).toBe(await run(b))
          told++
        }
      }
      expect(told).toBeGreaterThan(atLeast)
    },
    60_000,
  )
})

/** Every second pair of a long list. */
function pairsOf(all: readonly string[]): readonly (readonly [string, string])[] {
  const isKept = (at: number, other: number): boolean => all.length < 60 || (at + other) % 2 === 0
  return all.flatMap((a, at) =>
    all.slice(at + 1).flatMap((b, next) => (isKept(at, at + 1 + next) ? [[a, b] as const] : [])),
  )
}
