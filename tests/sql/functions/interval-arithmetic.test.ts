import { beforeAll, describe, expect, it } from 'vitest'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { comparePair } from '../dialect-pairs.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

const mondaySqlite = "date('now', '-' || ((strftime('%w', 'now') + 6) % 7) || ' days')"

describe('dates that are moved and cut', () => {
  it.each([
    ["postgres: date_trunc('week', CURRENT_DATE)", `sqlite: ${mondaySqlite}`],
    [
      "postgres: date_trunc('week', CURRENT_DATE)",
      'mysql: DATE_SUB(CURDATE(), INTERVAL WEEKDAY(CURDATE()) DAY)',
    ],
    ["postgres: date_trunc('week', CURRENT_DATE)", 'bigquery: DATE_TRUNC(CURRENT_DATE(), WEEK(MONDAY))'],
    ["postgres: date_trunc('week', CURRENT_DATE)", 'bigquery: DATE_TRUNC(CURRENT_DATE(), ISOWEEK)'],
    ["postgres: date_trunc('month', d) + INTERVAL '1 month' - INTERVAL '1 day'", 'mysql: LAST_DAY(d)'],
    [
      "postgres: date_trunc('month', CURRENT_DATE) - INTERVAL '6 months'",
      "mysql: DATE_FORMAT(CURRENT_DATE - INTERVAL 6 MONTH, '%Y-%m-01')",
    ],
    ["postgres: date_trunc('month', d) - INTERVAL '1 day'", 'mysql: LAST_DAY(d - INTERVAL 1 MONTH)'],
    ["postgres: d + INTERVAL '2 weeks'", 'mysql: DATE_ADD(d, INTERVAL 14 DAY)'],
    ["postgres: d + INTERVAL '1 year'", 'mysql: DATE_ADD(d, INTERVAL 12 MONTH)'],
    [
      "sqlite: date('now', 'start of month', '-1 month')",
      "postgres: date_trunc('month', CURRENT_DATE) - INTERVAL '1 month'",
    ],
    ["sqlite: date('now', '-7 days')", "postgres: CURRENT_DATE - INTERVAL '1 week'"],
    ['mysql: date(now())', 'trino: current_date'],
    ["sqlite: strftime('%Y', 'now')", "bigquery: format_date('%Y', current_date())"],
  ])('%s is %s', (expected, generated) => {
    expect(comparePair(parser, expected, generated)).toEqual({ kind: 'equal' })
    expect(comparePair(parser, generated, expected)).toEqual({ kind: 'equal' })
  })

  it.each([
    [
      "postgres: date_trunc('week', d)",
      'mysql: DATE_SUB(d, INTERVAL WEEKDAY(d) DAY)',
      'the time of the day stays',
    ],
    [
      "postgres: date_trunc('week', CURRENT_DATE)",
      'mysql: DATE_SUB(CURDATE(), INTERVAL DAYOFWEEK(CURDATE()) - 1 DAY)',
      'Sunday',
    ],
    [
      "postgres: (d + INTERVAL '1 month') - INTERVAL '1 month'",
      'mysql: d + INTERVAL 0 DAY',
      'short months cut days off',
    ],
    [
      "postgres: date_trunc('month', d - INTERVAL '30 days')",
      "duckdb: date_trunc('month', d) - INTERVAL '30 days'",
      'days are no months',
    ],
    [
      "postgres: date_trunc('year', d - INTERVAL '6 months')",
      "duckdb: date_trunc('year', d) - INTERVAL '6 months'",
      'no whole years',
    ],
    [
      "postgres: date_trunc('month', d)",
      "duckdb: date_trunc('month', d) - INTERVAL '1 month'",
      'another month',
    ],
    [
      "sqlite: date('now', '-' || n || ' days')",
      "postgres: CURRENT_DATE - n * INTERVAL '1 day'",
      'minus a negative number is no modifier',
    ],
  ])('%s is not %s: %s', (expected, generated) => {
    expect(comparePair(parser, expected, generated).kind).toBe('different')
  })

  it('does not lose the cast that cuts off the hour', () => {
    const finding = comparePair(
      parser,
      "postgres: date_trunc('hour', CAST(d AS DATE))",
      "duckdb: date_trunc('hour', d)",
    )
    expect(finding).toMatchObject({ kind: 'equal_if', assumptions: ['t.d holds days'] })
  })

  it('says where months of SQLite overflow', () => {
    const finding = comparePair(
      parser,
      "sqlite: date('now', '-1 month')",
      "postgres: CURRENT_DATE - INTERVAL '1 month'",
    )
    expect(finding).toMatchObject({
      kind: 'equal_if',
      assumptions: ['no date moved by months meets a month that lacks its day'],
    })
  })
})
