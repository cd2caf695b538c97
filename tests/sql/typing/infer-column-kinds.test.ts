import { beforeAll, describe, expect, it } from 'vitest'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { parseSchema } from '../../../src/sql/tables/load-schema.js'
import { comparePair } from '../dialect-pairs.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('what columns hold', () => {
  it.each([
    ['postgres: CURRENT_DATE - max(d)', 'bigquery: DATE_DIFF(CURRENT_DATE(), MAX(d), DAY)'],
    ['postgres: round(avg(a - b), 2)', 'mysql: round(avg(datediff(a, b)), 2)'],
    ['postgres: round(avg(a - b), 2)', 'sqlite: round(avg(julianday(a) - julianday(b)), 2)'],
    ['postgres: SELECT x FROM t WHERE a - b > 3', 'bigquery: SELECT x FROM t WHERE date_diff(a, b, DAY) > 3'],
    ['postgres: round(a - 1, 2) + round(b - a, 1)', 'bigquery: round(a - 1, 2) + round(b - a, 1)'],
  ])('is shown by the calls that read them: %s is equal to %s', (expected, generated) => {
    const finding = comparePair(parser, expected, generated)
    expect(finding.kind).toBe('equal')
  })

  it.each([
    ['sqlite: julianday(a) - julianday(b)', 'mysql: datediff(a, b)', ['t.a holds days', 't.b holds days']],
    ['postgres: CURRENT_DATE - max(d)', 'mysql: datediff(current_date, max(d))', ['t.d holds days']],
    ['postgres: a - b', 'mysql: a - b', ['t.a and t.b hold numbers']],
    [
      'sqlite: CAST(a AS INTEGER)',
      'postgres: CAST(a AS INTEGER)',
      ['what is cast to an integer is a whole number'],
    ],
    ['sqlite: a / b', 'mysql: a / b', ['no division is one of integers']],
    ['trino: a * 1.0 / b', 'duckdb: a / b', ['no division is one of integers or decimals']],
    ["sqlite: date(a, '+14 days')", 'mysql: DATE_ADD(a, INTERVAL 14 DAY)', ['t.a holds days']],
    [
      "postgres: concat(a, '-')",
      "presto: concat(coalesce(CAST(a AS VARCHAR), ''), '-')",
      ['t.a holds texts, days or whole numbers', 't.a is no boolean'],
    ],
    [
      'postgres: avg(extract(epoch from a - b))',
      "sqlite: avg(strftime('%s', a) - strftime('%s', b))",
      ['t.a and t.b hold whole seconds'],
    ],
    [
      'bigquery: timestamp_diff(a, b, SECOND)',
      'postgres: extract(epoch from a - b)',
      ['t.a and t.b hold whole seconds'],
    ],
    [
      "sqlite: CAST(julianday('now') - julianday(a) AS INTEGER)",
      'mysql: datediff(curdate(), a)',
      ['t.a holds days, none of them to come'],
    ],
    ["postgres: to_date(a, 'YYYY-MM-DD')", 'mysql: a', ['t.a holds days']],
    [
      "mysql: group_concat(a SEPARATOR ';')",
      "trino: array_join(array_agg(a), ';')",
      ['no group has only NULLs to join'],
    ],
    ['postgres: CAST(a AS date)', 'postgres: a', ['t.a has the type date']],
  ])('is assumed where nothing shows it: %s is equal to %s only then', (expected, generated, assumptions) => {
    expect(comparePair(parser, expected, generated)).toMatchObject({ kind: 'equal_if', assumptions })
  })

  it.each([
    ['postgres: a - b', 'bigquery: DATE_DIFF(b, a, DAY)', 'the other way round'],
    ['sqlite: x / (julianday(a) - julianday(b))', 'postgres: x / round(a - b, 0)', 'a fraction of a day'],
    ['postgres: sum(a) / sum(b)', 'mysql: sum(a) / sum(c)', 'another column'],
    ['trino: sum(a) * 1.0 / count(a)', 'trino: avg(a)', 'a quotient of one place'],
    ['presto: CAST(a AS decimal(10, 2)) / b', 'presto: CAST(a AS double) / b', 'a quotient of two places'],
  ])('does not make %s equal to %s: %s', (expected, generated) => {
    expect(comparePair(parser, expected, generated).kind).toBe('different')
  })

  it('is read from the schema, except for types that SQLite does not keep', () => {
    const schema = parseSchema(parser, 'CREATE TABLE t (a DATE, b DATE, x INTEGER)', 'ansi')
    expect(comparePair(parser, 'postgres: a - b', 'mysql: datediff(a, b)', { schema }).kind).toBe('equal')
    expect(
      comparePair(parser, 'sqlite: julianday(a) - julianday(b)', 'mysql: datediff(a, b)', { schema }).kind,
    ).toBe('equal_if')
    const moments = parseSchema(parser, 'CREATE TABLE t (a TIMESTAMP, b TIMESTAMP)', 'ansi')
    expect(
      comparePair(parser, 'postgres: a - b', 'mysql: datediff(a, b)', { schema: moments }).kind,
    ).not.toBe('equal')
  })
})
