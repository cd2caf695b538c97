import { beforeAll, describe, expect, it } from 'vitest'
import { compareQueries } from '../../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../../src/sql/parser.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('a period of the calendar', () => {
  it.each([
    ['postgres', 'extract(year FROM d) = 2024', "d >= '2024-01-01' AND d < '2025-01-01'", 'equal'],
    ['duckdb', "strftime(d, '%Y-%m') = '2024-02'", "date_trunc('month', d) = '2024-02-01'", 'equal'],
    [
      'postgres',
      "to_char(d, 'YYYY-MM') = '2024-02'",
      "date_trunc('month', d) = '2024-02-01'",
      't.d holds times of the years 1 to 9999',
    ],
    ['trino', 'year(d) = 2024', "d >= DATE '2024-01-01' AND d < DATE '2025-01-01'", 't.d has no time zone'],
    [
      'snowflake',
      'year(d) = 2024',
      "d BETWEEN '2024-01-01' AND '2024-12-31'",
      't.d has no time zone; t.d holds days',
    ],
    ['mysql', 'year(d) = 2024', "d >= '2024-01-01' AND d < '2025-01-01'", 't.d holds dates or times'],
    ['sqlite', "strftime('%Y', d) = '2024'", "d LIKE '2024%'", 't.d holds dates or times'],
    [
      'sqlite',
      "strftime('%Y-%m', d) = '2024-02'",
      "d BETWEEN '2024-02-01 00:00:00' AND '2024-02-29 23:59:59'",
      "t.d holds dates or times; t.d holds times like '2025-01-31 23:59:59'",
    ],
    [
      'sqlite',
      "d BETWEEN '2024-02-01' AND '2024-02-29'",
      "d BETWEEN '2024-02-01 00:00:00' AND '2024-02-29 23:59:59'",
      'different',
    ],
    ['sqlite', "d >= '2024-02-01T00:00:00'", "d >= '2024-02-01 00:00:00'", 'different'],
    ['sqlite', "d LIKE '2024-03-01%'", "date(d) = '2024-03-01T00:00:00'", 'different'],
    [
      'postgres',
      "d <= '2024-12-31 23:59:59' AND extract(day FROM d) > 0",
      "d < '2025-01-01' AND extract(day FROM d) > 0",
      't.d holds whole seconds',
    ],
    ['postgres', 'extract(year FROM d) = 2024', "d >= '2024-01-01' AND d <= '2025-01-01'", 'different'],
    ['postgres', 'extract(year FROM d) = 2024', "d > '2024-01-01' AND d < '2025-01-01'", 'different'],
    ['postgres', 'extract(year FROM d) = 202', "d >= '0202-01-01' AND d < '0203-01-01'", 'different'],
    [
      'postgres',
      "date_trunc('month', d) = '2024-02-30'",
      "d >= '2024-02-01' AND d < '2024-03-01'",
      'different',
    ],
    [
      'bigquery',
      "DATE_TRUNC(d, WEEK) = DATE '2024-01-01'",
      "d >= '2024-01-01' AND d < '2024-01-08'",
      'different',
    ],
  ] as const)('%s: %s, %s: %s', (dialect, a, b, words) => {
    const finding = compareQueries(
      parser,
      `SELECT x FROM t WHERE ${a}`,
      `SELECT x FROM t WHERE ${b}`,
      dialect,
    )
    const kinds: readonly string[] = ['equal', 'different']
    if (kinds.includes(words)) expect(finding.kind).toBe(words)
    else expect(finding).toMatchObject({ kind: 'equal_if', assumptions: words.split('; ') })
  })
})
