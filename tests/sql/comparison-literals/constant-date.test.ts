import { beforeAll, describe, expect, it } from 'vitest'
import type { Dialect } from '../../../src/enums/dialect.js'
import { evaluateConstantDate } from '../../../src/sql/comparison-literals/constant-date.js'
import { normalize } from '../../../src/sql/normalize/normalize.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

function dayOf(sql: string, dialect: Dialect): string | undefined {
  const parsed = parser.parse(`SELECT ${sql} AS day`, dialect)
  if (parsed.kind !== 'query') throw new Error(parsed.message)
  const normal = normalize(parsed.shape, dialect)
  const [output] = normal.kind === 'select' ? normal.outputs : []
  return output && evaluateConstantDate(output)
}

describe('the day that literals come to', () => {
  it.each<[Dialect, string, string | undefined]>([
    ['duckdb', "DATE '2025-10-31' - INTERVAL 90 DAY", '2025-08-02'],
    ['duckdb', "DATE '2025-10-31' - INTERVAL '2 weeks'", '2025-10-17'],
    ['duckdb', "DATE '2025-10-31' - 29", '2025-10-02'],
    ['duckdb', "CAST('2025-01-31' AS DATE) + INTERVAL 1 MONTH", '2025-02-28'],
    ['duckdb', "INTERVAL 1 DAY + DATE '2025-12-31'", '2026-01-01'],
    ['duckdb', "TIMESTAMP '2025-10-31 10:00:00' - INTERVAL 3 HOUR", '2025-10-31 07:00:00'],
    ['duckdb', "date_trunc('month', DATE '2025-10-31')", '2025-10-01'],
    ['duckdb', "date_trunc('week', DATE '2025-10-31')", undefined],
    ['duckdb', 'current_date - INTERVAL 7 DAY', undefined],
    ['duckdb', "DATE '2025-02-30' - 1", undefined],
    ['duckdb', '100 - 1', undefined],
    ['sqlite', "date('2025-10-31', '-90 days')", '2025-08-02'],
    ['sqlite', "date('2025-10-31', 'start of month', '-1 month')", '2025-09-01'],
    ['sqlite', "datetime('2025-10-31', '+90 minutes')", '2025-10-31 01:30:00'],
    ['sqlite', "date('now', '-7 days')", undefined],
    ['sqlite', "date('2025-10-31', 'weekday 1')", undefined],
  ])('%s: %s is %s', (dialect, sql, day) => {
    expect(dayOf(sql, dialect)).toBe(day)
  })
})
