import { beforeAll, describe, expect, it } from 'vitest'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { comparePair } from '../dialect-pairs.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('functions with other names in two dialects are equal', () => {
  it.each([
    ['mysql: CHAR_LENGTH(x)', 'postgres: LENGTH(x)'],
    ['mysql: STR_TO_DATE(x, "%Y-%m-%d")', "presto: CAST(DATE_PARSE(x, '%Y-%m-%d') AS DATE)"],
    ["postgres: TO_DATE(x, 'YYYY-MM-DD')", 'bigquery: CAST(x AS DATE)'],
    ["postgres: to_char(d, 'YYYY-MM')", "bigquery: format_date('%Y-%m', d)"],
    ["postgres: to_char(d, 'FMMonth')", 'mysql: monthname(d)'],
    ["postgres: to_char(d, 'HH24:MI')", "mysql: date_format(d, '%H:%i')"],
    ['spark: to_date(d)', 'duckdb: CAST(d AS DATE)'],
    ["spark: date_format(d, 'yyyy-MM-dd HH:mm')", "duckdb: strftime(d, '%Y-%m-%d %H:%M')"],
    ['postgres: to_timestamp(x)', 'mysql: from_unixtime(x)'],
    ['snowflake: datediff(month, a, b)', "duckdb: date_diff('month', a, b)"],
    ['mysql: timestampdiff(month, a, b)', 'spark: timestampdiff(month, a, b)'],
    ['bigquery: timestamp_diff(b, a, SECOND)', "trino: date_diff('second', a, b)"],
    ["trino: date_diff('day', CAST(a AS DATE), CAST(b AS DATE))", 'mysql: datediff(date(b), date(a))'],
    ['redshift: dateadd(day, 1, d)', 'bigquery: date_add(d, INTERVAL 1 DAY)'],
    ['bigquery: timestamp_sub(d, INTERVAL 2 HOUR)', "postgres: d - INTERVAL '2 hours'"],
    ["postgres: string_agg(x, ',')", "mysql: group_concat(x SEPARATOR ',')"],
    ["postgres: string_agg(x, ',' ORDER BY y)", "trino: listagg(x, ',') WITHIN GROUP (ORDER BY y)"],
    ["sqlite: group_concat(x, ';')", "duckdb: string_agg(x, ';')"],
    ['mysql: md5(x)', 'trino: lower(to_hex(md5(to_utf8(x))))'],
    ['mysql: sha2(x, 256)', 'duckdb: sha256(x)'],
    ['presto: SHA256(x)', 'duckdb: UNHEX(SHA256(x))'],
    ["postgres: x -> 'a'", "mysql: x -> '$.a'"],
    ["postgres: json_extract_path(x, 'a', 'b')", "presto: json_extract(x, '$.a.b')"],
    ["duckdb: {'a': 1, 'b': 'x'}", "presto: CAST(ROW(1, 'x') AS ROW(a INTEGER, b VARCHAR))"],
    ["mysql: concat(x, '-', y)", "trino: x || '-' || y"],
    ['postgres: x || y', 'presto: concat(CAST(x AS VARCHAR), CAST(y AS VARCHAR))'],
    ["sqlite: substr(x, instr(x, '@') + 1)", "postgres: substring(x, position('@' in x) + 1)"],
    ['sqlite: substr(x, -3)', 'mysql: right(x, 3)'],
    ['postgres: left(x, 3)', 'sqlite: substr(x, 1, 3)'],
    ['bigquery: safe_divide(x, y)', 'snowflake: x / nullif(y, 0)'],
    ['postgres: log(x)', 'trino: log10(x)'],
    ['mysql: stddev(x)', 'trino: stddev_pop(x)'],
    ["trino: format('%s of %s', 123, 'x')", "duckdb: format('{} of {}', 123, 'x')"],
    ["postgres: generate_series(a, b, ' 2 days ')", "presto: UNNEST(SEQUENCE(a, b, INTERVAL '2' DAY))"],
    ["postgres: 'epoch'::TIMESTAMP", "presto: CAST('1970-01-01 00:00:00' AS TIMESTAMP)"],
    ["trino: TIME '01:02:03 -08:00'", "duckdb: CAST('01:02:03 -08:00' AS TIMETZ)"],
    ['spark: date_add(CAST(d AS DATE), 7)', "postgres: CAST(d AS DATE) + INTERVAL '1 week'"],
  ])('%s is %s', (expected, generated) => {
    expect(comparePair(parser, expected, generated)).toEqual({ kind: 'equal' })
    expect(comparePair(parser, generated, expected)).toEqual({ kind: 'equal' })
  })
})

describe('functions with one name and another meaning in two dialects are not equal', () => {
  it.each([
    ['mysql: LENGTH(x)', 'postgres: LENGTH(x)', 'bytes and characters'],
    ['bigquery: DATE_TRUNC(d, WEEK)', "postgres: DATE_TRUNC('week', d)", 'weeks from Sunday and from Monday'],
    ['mysql: week(d)', 'duckdb: week(d)', 'weeks by a setting and of ISO 8601'],
    ['bigquery: EXTRACT(WEEK FROM d)', 'postgres: EXTRACT(WEEK FROM d)', 'weeks from Sunday and of ISO 8601'],
    ["mysql: date_format(d, '%M')", "duckdb: strftime(d, '%M')", 'name of the month and minutes'],
    ["postgres: to_char(d, 'Month')", 'mysql: monthname(d)', 'padded with spaces'],
    ["sqlite: strftime('%f', d)", "duckdb: strftime(d, '%f')", 'seconds with fraction and microseconds'],
    ["duckdb: date_diff('month', a, b)", "trino: date_diff('month', a, b)", 'months begun and whole months'],
    [
      "trino: date_diff('day', a, CAST(b AS TIMESTAMP))",
      'mysql: datediff(b, a)',
      'days of 24 hours and dates',
    ],
    ['sqlite: substr(x, -3)', 'postgres: substr(x, -3)', 'from the end and before the text'],
    ['sqlite: substr(x, -3)', 'mysql: substr(x, -3)', 'all of a shorter text and nothing'],
    ['sqlite: substr(x, n)', 'postgres: substr(x, n)', 'a place that may be negative'],
    ['postgres: log(x)', 'mysql: log(x)', 'base 10 and natural'],
    ['mysql: stddev(x)', 'postgres: stddev(x)', 'of the population and of a sample'],
    ['trino: greatest(x, y)', 'postgres: greatest(x, y)', 'NULL counts and does not'],
    ['trino: trim(x)', 'postgres: trim(x)', 'white space and spaces'],
    ["snowflake: regexp_like(x, 'a')", "trino: regexp_like(x, 'a')", 'the whole text and a part of it'],
    ["sqlite: json_extract(x, '$.a')", "mysql: json_extract(x, '$.a')", 'a value and JSON'],
    ["postgres: x -> '0'", "mysql: x -> '$[0]'", 'a key and a place'],
    ['presto: md5(x)', 'duckdb: md5(x)', 'bytes and digits'],
    ['sqlite: group_concat(x)', "duckdb: string_agg(x, ';')", 'separators'],
    ["postgres: string_agg(x, ',' ORDER BY y)", "postgres: string_agg(x, ',')", 'an order'],
    ["postgres: concat(x, '-')", "trino: x || '-'", 'NULL as nothing and as NULL'],
    ['trino: split_part(x, y, 9)', 'postgres: split_part(x, y, 9)', 'NULL and an empty text'],
    ["trino: format('%s', x)", "duckdb: format('{}', x)", 'fractions are written in other ways'],
    ["trino: format('%d', 1)", "duckdb: format('%d', 1)", 'other marks for places'],
    ['duckdb: foo(x)', 'postgres: foo(x)', 'functions that nobody knows'],
    ['sqlite: julianday(a) - julianday(b)', 'mysql: datediff(a, b) + 1', 'another number of days'],
    ["trino: TIME '01:02:03'", "duckdb: CAST('01:02:03' AS TIMETZ)", 'without a time zone and with one'],
  ])('%s is not %s: %s', (expected, generated) => {
    expect(comparePair(parser, expected, generated).kind).toBe('different')
    expect(comparePair(parser, generated, expected).kind).toBe('different')
  })

  it('length() and char_length() of MySQL are not equal', () => {
    expect(comparePair(parser, 'mysql: char_length(x)', 'mysql: length(x)').kind).toBe('different')
    expect(comparePair(parser, 'mysql: char_length(x), length(x)', 'mysql: length(x), length(x)').kind).toBe(
      'different',
    )
  })
})
