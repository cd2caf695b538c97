import { beforeAll, describe, expect, it } from 'vitest'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { kindBothWays } from '../dialect-pairs.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('functions that two dialects have under other names', () => {
  it.each([
    ['postgres: greatest(a, b)', 'spark: greatest(a, b)'],
    ['mysql: greatest(a, b)', 'bigquery: greatest(a, b)'],
    ['sqlite: max(a, b)', 'trino: greatest(a, b)'],
    ['bigquery: countif(a > 1)', 'postgres: count(*) FILTER (WHERE a > 1)'],
    ['snowflake: count_if(a > 1)', 'mysql: count(CASE WHEN a > 1 THEN 1 END)'],
    ['duckdb: sum(a) FILTER (WHERE b > 1)', 'mysql: sum(CASE WHEN b > 1 THEN a END)'],
    ['postgres: percentile_cont(0.5) WITHIN GROUP (ORDER BY a)', 'snowflake: median(a)'],
    ['duckdb: quantile_disc(a, 0.25)', 'postgres: percentile_disc(0.25) WITHIN GROUP (ORDER BY a)'],
    ['postgres: covar_pop(a, b)', 'snowflake: covar_pop(a, b)'],
    ['snowflake: bitand_agg(a)', 'duckdb: bit_and(a)'],
    ["postgres: split_part(a, ',', 2)", "snowflake: split_part(a, ',', 2)"],
    ["trino: split(a, ',')", "bigquery: split(a, ',')"],
    ["trino: regexp_replace(a, 'x+', 'y')", "postgres: regexp_replace(a, 'x+', 'y', 'g')"],
    ["trino: regexp_extract(a, 'x+')", "snowflake: regexp_substr(a, 'x+')"],
    ["postgres: a ~* 'x'", "duckdb: regexp_matches(a, 'x', 'i')"],
    ["bigquery: starts_with(a, 'x')", "duckdb: a ^@ 'x'"],
    ["snowflake: endswith(a, 'x')", "duckdb: suffix(a, 'x')"],
    ["postgres: translate(a, 'xy', 'ab')", "trino: translate(a, 'xy', 'ab')"],
    ['mysql: space(3)', "postgres: repeat(' ', 3)"],
    ['bigquery: log(a, 2)', 'postgres: log(2, a)'],
    ['postgres: trunc(a)', 'mysql: truncate(a, 0)'],
    ['mysql: a DIV b', 'postgres: div(a, b)'],
    ['postgres: sin(a) + degrees(b)', 'mysql: sin(a) + degrees(b)'],
    ['snowflake: bitor(a, b)', 'trino: bitwise_or(a, b)'],
    ['snowflake: editdistance(a, b)', 'trino: levenshtein_distance(a, b)'],
    ["duckdb: date_part('month', a)", 'postgres: extract(MONTH FROM a)'],
    ["duckdb: date_sub('month', a, b)", "trino: date_diff('month', a, b)"],
    ['bigquery: date(2024, 1, 2)', "postgres: DATE '2024-01-02'"],
    ["snowflake: decode(a, 1, 'x', 'y')", "postgres: CASE a WHEN 1 THEN 'x' ELSE 'y' END"],
    ['postgres: a[2]', 'trino: element_at(a, 2)'],
    ['bigquery: a[SAFE_OFFSET(1)]', 'duckdb: a[2]'],
    ['bigquery: a[ORDINAL(1)]', 'trino: a[1]'],
    ['bigquery: safe_cast(a AS INT64)', 'duckdb: try_cast(a AS BIGINT)'],
    ['trino: transform(a, x -> x + 1)', 'duckdb: list_transform(a, x -> x + 1)'],
    ['trino: sequence(1, 5)', 'bigquery: generate_array(1, 5)'],
    ['trino: to_base64(a)', 'bigquery: to_base64(a)'],
  ])('%s is %s', (expected, generated) => {
    expect(kindBothWays(parser, expected, generated)).toBe('equal')
  })

  it.each([
    ['the one gives NULL where an argument is', 'postgres: greatest(a, b)', 'mysql: greatest(a, b)'],
    ['nothing is NULL, and 0', 'mysql: sum(CASE WHEN a > 1 THEN 1 ELSE 0 END)', 'bigquery: countif(a > 1)'],
    ['all bits are set in nothing', 'postgres: bit_and(a)', 'mysql: bit_and(a)'],
    ['NULL, and an empty text', "postgres: split_part(a, ',', 2)", "trino: split_part(a, ',', 2)"],
    ['no part of an empty text', "postgres: string_to_array(a, ',')", "trino: split(a, ',')"],
    ['the first match only', "postgres: regexp_replace(a, 'x', 'y')", "trino: regexp_replace(a, 'x', 'y')"],
    [
      'groups are named otherwise',
      "bigquery: regexp_replace(a, '(x)', '\\\\1')",
      "trino: regexp_replace(a, '(x)', '$1')",
    ],
    [
      'an empty text where nothing matches',
      "duckdb: regexp_extract(a, 'x')",
      "trino: regexp_extract(a, 'x')",
    ],
    ['NULL is found', "snowflake: decode(a, NULL, 'x')", "postgres: CASE a WHEN NULL THEN 'x' END"],
    ['an error where there is no element', 'bigquery: a[OFFSET(0)]', 'trino: element_at(a, 1)'],
    ['arrays begin at 0', 'redshift: a[1]', 'postgres: a[1]'],
    ['it may be a map', 'spark: a[0]', 'trino: element_at(a, 1)'],
    [
      'units are counted, not taken away',
      "duckdb: date_sub('day', a, b)",
      "postgres: b - a * INTERVAL '1 day'",
    ],
    [
      'the order is the other one',
      'postgres: percentile_disc(0.25) WITHIN GROUP (ORDER BY a DESC)',
      'duckdb: quantile_disc(a, 0.25)',
    ],
    ['days that are none', 'bigquery: date(2024, 2, 30)', "postgres: DATE '2024-03-01'"],
    ['down, and nothing', 'trino: sequence(5, 1)', 'bigquery: generate_array(5, 1)'],
  ])('are not equal where %s: %s and %s', (_, expected, generated) => {
    expect(kindBothWays(parser, expected, generated)).not.toBe('equal')
  })
})
