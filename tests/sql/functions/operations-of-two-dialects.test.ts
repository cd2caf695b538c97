import { beforeAll, describe, expect, it } from 'vitest'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { kindBothWays } from '../dialect-pairs.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('one meaning in two dialects', () => {
  it.each([
    ['trino: bitwise_not(a)', 'duckdb: ~a'],
    ['trino: bitwise_left_shift(a, 2)', 'postgres: a << 2'],
    ['presto: bitwise_arithmetic_shift_right(a, 2)', 'duckdb: a >> 2'],
    ['trino: slice(a, 2, 3)', 'duckdb: a[2:4]'],
    ['spark: slice(a, 2, 3)', 'postgres: a[2:4]'],
    ['trino: repeat(a, 3)', 'spark: array_repeat(a, 3)'],
    ['trino: year_of_week(a)', 'duckdb: isoyear(a)'],
    ['trino: second(a)', 'mysql: second(a)'],
    ['trino: json_parse(a)', 'duckdb: json(a)'],
    ["postgres: a #>> '{b,c}'", "duckdb: json_extract_string(a, '$.b.c')"],
    ['snowflake: a:b::text', "postgres: a ->> 'b'"],
    ['duckdb: list(a)', 'trino: array_agg(a)'],
    ['presto: to_hex(md5(to_utf8(a)))', 'duckdb: upper(md5(a))'],
    ["mysql: substring_index(a, ',', 1)", "trino: split_part(a, ',', 1)"],
    ["bigquery: split(a, ',')[OFFSET(0)]", "postgres: split_part(a, ',', 1)"],
    ['mysql: convert(a, signed)', 'duckdb: CAST(a AS BIGINT)'],
    ['mysql: CAST(a AS DECIMAL(10, 2))', 'postgres: CAST(a AS NUMERIC(18, 2))'],
    ['duckdb: CAST(a AS DECIMAL)', 'postgres: a::numeric(18, 3)'],
    ['mysql: CAST(a AS DECIMAL)', 'trino: CAST(a AS DECIMAL(20))'],
    ['mysql: isnull(a)', 'postgres: a IS NULL'],
    ['mysql: a && b', 'duckdb: a AND b'],
    ['mysql: length(a)', 'duckdb: strlen(a)'],
    ['bigquery: byte_length(a)', 'postgres: octet_length(a)'],
    ['mysql: unix_timestamp(d)', 'trino: to_unixtime(d)'],
    ['snowflake: to_date(a)', 'postgres: a::date'],
    ['snowflake: to_varchar(length(a))', 'bigquery: CAST(length(a) AS STRING)'],
    ['spark: add_months(CAST(d AS DATE), 2)', "postgres: d::date + interval '2 months'"],
    ['postgres: a IS DISTINCT FROM b', 'mysql: NOT (a <=> b)'],
    ["bigquery: regexp_contains(a, r'\\d+')", "postgres: a ~ '\\d+'"],
    ["bigquery: regexp_contains(a, r'(?i)x')", "postgres: a ~* 'x'"],
    ["bigquery: regexp_extract(a, r'id=(\\d+)')", "postgres: substring(a FROM 'id=(\\d+)')"],
    ["postgres: trim(to_char(d, 'Day'))", 'mysql: dayname(d)'],
    ["postgres: date_trunc('hour', d)", "mysql: date_format(d, '%Y-%m-%d %H:00:00')"],
    ['postgres: extract(isodow from d)', 'mysql: weekday(d) + 1'],
    ['postgres: a::date - b::date', 'mysql: datediff(a, b)'],
    ['postgres: current_date - 7', 'bigquery: date_sub(current_date(), INTERVAL 7 DAY)'],
    ['postgres: extract(year from age(a, b))', 'mysql: timestampdiff(YEAR, b, a)'],
    [
      "mysql: group_concat(DISTINCT a ORDER BY a SEPARATOR ';')",
      "postgres: string_agg(DISTINCT a, ';' ORDER BY a)",
    ],
    ['mysql: sum(a) / count(*)', 'postgres: sum(a)::float / count(*)'],
    ['bigquery: safe_divide(sum(a), sum(b))', 'postgres: sum(a) * 1.0 / nullif(sum(b), 0)'],
    ['postgres: sum(a)::float / nullif(sum(b), 0)', 'mysql: sum(a) / sum(b)'],
    ['postgres: 100.0 * sum(a) / count(b)', 'bigquery: 100 * sum(a) / count(b)'],
    ['postgres: extract(year from d)::int', "sqlite: CAST(strftime('%Y', d) AS INTEGER)"],
  ])('%s is %s', (expected, generated) => {
    expect(kindBothWays(parser, expected, generated)).toBe('equal')
  })

  it.each([
    ['an array and a text', 'trino: repeat(a, 3)', 'postgres: repeat(a, 3)'],
    ['bits without a sign', 'mysql: ~a', 'postgres: ~a'],
    ['zeros fill it', 'trino: bitwise_right_shift(a, 2)', 'postgres: a >> 2'],
    ['NULLs come first', 'postgres: array_agg(a ORDER BY b DESC)', 'trino: array_agg(a ORDER BY b DESC)'],
    ['all of the match', "trino: regexp_extract(a, 'x(.*)')", "postgres: substring(a FROM 'x(.*)')"],
    ['other marks', "bigquery: regexp_contains(a, r'\\\\d')", "postgres: a ~ '\\d'"],
    ['a part that is not there', "mysql: substring_index(a, ',', 2)", "trino: split_part(a, ',', 2)"],
    ['padded names', "postgres: to_char(d, 'Day')", 'mysql: dayname(d)'],
    [
      'a number that is divided is no integer',
      'postgres: extract(year from d) / 10',
      "sqlite: CAST(strftime('%Y', d) AS INTEGER) / 10",
    ],
    ['a decimal is rounded to an integer', 'mysql: CAST(a AS DECIMAL)', 'postgres: CAST(a AS DECIMAL)'],
    ['it is rounded to three places', 'duckdb: CAST(a AS DECIMAL)', 'sqlite: CAST(a AS DECIMAL)'],
    ['a decimal without places', 'snowflake: CAST(a AS DECIMAL) / b', 'mysql: a / b'],
    ['zero and an error', 'postgres: sum(a)::float / nullif(sum(b), 0)', 'bigquery: sum(a) / sum(b)'],
    ['what is no date', 'mysql: unix_timestamp(a - b)', 'postgres: extract(epoch from a - b)'],
    ['a null counts', 'postgres: sum(a)::float / count(*)', 'bigquery: avg(a)'],
  ])('but not where %s: %s and %s', (_, expected, generated) => {
    expect(kindBothWays(parser, expected, generated)).not.toBe('equal')
  })
})
