import { beforeAll, describe, expect, it } from 'vitest'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { kindBothWays } from '../dialect-pairs.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('one query in the spellings of two dialects', () => {
  it.each([
    ['snowflake: date_part(year, d)', 'postgres: extract(year from d)'],
    [
      'snowflake: SELECT ntile(4) OVER (ORDER BY a) FROM t',
      'postgres: SELECT ntile(4) OVER (ORDER BY a) FROM t',
    ],
    [
      'sqlite: SELECT sum(a) OVER (ORDER BY b NULLS LAST ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING) FROM t',
      'trino: SELECT sum(a) OVER (ORDER BY b ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING) FROM t',
    ],
    [
      'trino: SELECT a, b, sum(c) FROM t GROUP BY ROLLUP (a, b)',
      'duckdb: SELECT a, b, sum(c) FROM t GROUP BY GROUPING SETS ((a, b), (a), ())',
    ],
    [
      'trino: SELECT a, grouping(a), sum(c) FROM t GROUP BY CUBE (a, b)',
      'snowflake: SELECT a, grouping(a), sum(c) FROM t GROUP BY CUBE (a, b)',
    ],
    [
      'trino: SELECT a FROM t WHERE b > ALL (SELECT b FROM u)',
      'postgres: SELECT a FROM t WHERE b > ALL (SELECT b FROM u)',
    ],
    [
      'sqlite: CAST(CAST(count(a) AS REAL) AS REAL) / count(*)',
      'postgres: count(a)::float / nullif(count(*), 0)',
    ],
    ["sqlite: a LIKE '2013-%'", "postgres: a LIKE '2013-%'"],
    ["sqlite: substr(a, 1, 4) = '2013'", "postgres: substr(a, 1, 4) = '2013'"],
    ["sqlite: substr(a, 1, 4) = '2013'", "sqlite: a LIKE '2013%'"],
    ["mysql: a LIKE '%:__'", "duckdb: a ILIKE '%:__'"],
    ['trino: "concat"("lower"(a), b)', 'duckdb: lower(a) || b'],
    ["trino: DECIMAL '1.20' * a", 'duckdb: 1.20 * a'],
    ["presto: DECIMAL '-1.2' * a", 'presto: CAST(-1.2 AS DECIMAL(2, 1)) * a'],
    ["trino: trim(BOTH '!' FROM a)", "postgres: btrim(a, '!')"],
    ["mysql: trim(LEADING '0' FROM a)", "sqlite: ltrim(a, '0')"],
    ["trino: TIME '10:11:12'", "duckdb: CAST('10:11:12' AS TIME)"],
    ['bigquery: DATE(a, b, 1)', 'postgres: make_date(a, b, 1)'],
    ['bigquery: round(a, 0)', 'snowflake: round(a)'],
    ['duckdb: 1 + year(a) // day(b)', 'mysql: year(a) DIV day(b) + 1'],
    ["duckdb: {'a': x, 'b': 2}", 'bigquery: STRUCT(x AS a, 2 AS b)'],
    ['presto: NOT a IS DISTINCT FROM b', 'mysql: a <=> b'],
    [
      'duckdb: SELECT t.a FROM t ANTI JOIN u ON t.a = u.a',
      'spark: SELECT t.a FROM t LEFT ANTI JOIN u ON t.a = u.a',
    ],
    ["duckdb: json_extract_string(a, '$.k')", "postgres: a ->> 'k'"],
    ['postgres: SELECT bool_or(a > 1) FROM t', 'duckdb: SELECT bool_or(CAST(a > 1 AS BOOLEAN)) FROM t'],
  ])('%s is %s', (expected, generated) => {
    expect(kindBothWays(parser, expected, generated)).toBe('equal')
  })

  it.each([
    ["sqlite: a LIKE '2013x%'", "postgres: a LIKE '2013x%'"],
    ["sqlite: substr(a, 1, 1) = 'x'", "sqlite: a LIKE 'x%'"],
    ["mysql: trim('ab' FROM a)", "sqlite: trim(a, 'ab')"],
    ["trino: DECIMAL '1.2' * a", "trino: CAST('1.2' AS DECIMAL) * a"],
    ["presto: DECIMAL '1.2' * a", 'presto: 1.2 * a'],
    ["trino: trim('y' FROM a)", 'trino: trim(a)'],
    ["postgres: trim('y' FROM to_char(d, 'Day'))", "postgres: to_char(d, 'FMDay')"],
    ['postgres: "Concat"(a, b)', 'postgres: concat(a, b)'],
    [
      'trino: SELECT a, sum(c) FROM t GROUP BY ROLLUP (a, b)',
      'duckdb: SELECT a, sum(c) FROM t GROUP BY CUBE (a, b)',
    ],
    [
      'trino: SELECT a FROM t WHERE b > ALL (SELECT b FROM u)',
      'postgres: SELECT a FROM t WHERE b > ANY (SELECT b FROM u)',
    ],
  ])('%s is not %s', (expected, generated) => {
    expect(kindBothWays(parser, expected, generated)).toBe('different')
  })
})
