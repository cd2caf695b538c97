import { beforeAll, describe, expect, it } from 'vitest'
import type { Dialect } from '../../../src/enums/dialect.js'
import { compareQueries } from '../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

function wordsFor(dialect: Dialect, expression: string): string {
  const finding = compareQueries(parser, `SELECT ${expression} AS r FROM t`, 'SELECT zz AS r FROM t', dialect)
  if (finding.kind !== 'different') throw new Error(finding.kind)
  const [first] = finding.differences
  return first?.expected ?? ''
}

describe('expressions in words', () => {
  const rows: readonly (readonly [Dialect, string] | readonly [Dialect, string, string])[] = [
    ['postgres', "x - INTERVAL '30 days'"],
    ['trino', "x - INTERVAL '1' DAY"],
    ['mysql', 'x - INTERVAL 30 DAY', "x - INTERVAL '30' DAY"],
    ['duckdb', '[1, 2]'],
    ['trino', 'ARRAY[1, 2]'],
    ['duckdb', "{'a': 1}"],
    ['duckdb', "MAP {'a': 1}"],
    ['postgres', 'EXTRACT(epoch FROM x)'],
    ['bigquery', 'EXTRACT(ISOWEEK FROM x)', 'EXTRACT(isoweek FROM x)'],
    ['sqlite', 'x COLLATE NOCASE'],
    ['sqlite', 'trim(x)'],
    ['mysql', "TRIM(BOTH 'a' FROM x)"],
    ['postgres', 'percentile_cont(0.5) WITHIN GROUP (ORDER BY x DESC)'],
    ['postgres', "x ~ 'a'"],
    ['postgres', "x ~* 'a'"],
    ['postgres', "x SIMILAR TO 'a'"],
    ['postgres', "x ILIKE 'a%'"],
    ['postgres', "x LIKE 'a!%' ESCAPE '!'"],
    ['sqlite', "x GLOB 'a*'"],
    ['postgres', 'CAST(x AS timestamp with time zone)'],
    ['postgres', 'x::int[]', 'CAST(x AS int[])'],
    ['trino', 'CAST(x AS row(a int, b varchar))', 'CAST(x AS struct(a int, b varchar))'],
    ['trino', 'CAST(x AS map(varchar, bigint))'],
    ['trino', 'TRY_CAST(x AS int)'],
    ['trino', "x AT TIME ZONE 'UTC'"],
    ['postgres', 'count(*) FILTER (WHERE x > 1)'],
    ['postgres', 'a IS DISTINCT FROM b'],
    ['mysql', 'a <=> b', 'a IS NOT DISTINCT FROM b'],
    ['postgres', 'x > ALL (SELECT y FROM u)'],
    [
      'postgres',
      "string_agg(x, ',' ORDER BY y DESC NULLS LAST)",
      "string_agg(x SEPARATOR ',' ORDER BY y DESC NULLS LAST)",
    ],
    ['postgres', "x -> 'a' ->> 'b'", "(x -> 'a') ->> 'b'"],
    ['postgres', 'x[1]'],
    ['duckdb', 'x[1:2]'],
    ['duckdb', 'list_transform(x, y -> y + 1)', 'list_transform(x, lambda y: (y + 1))'],
    ['postgres', 'sum(x) OVER (ORDER BY z ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)'],
    ['postgres', "sum(x) OVER (ORDER BY z RANGE BETWEEN INTERVAL '1 day' PRECEDING AND CURRENT ROW)"],
    ['postgres', 'sum(x) OVER (ORDER BY z ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING EXCLUDE TIES)'],
    ['snowflake', 'last_value(x) IGNORE NULLS OVER (ORDER BY y)'],
    ['snowflake', 'x:a.b', "x:'a.b'"],
    ['snowflake', "DATEDIFF('day', a, b)", 'datediff(:day, a, b)'],
    ['trino', 'max_by(x, y)'],
    ['postgres', "position('a' IN x)"],
    ['postgres', '-x'],
  ]
  it.each(rows.map(([dialect, ...texts]) => ({ dialect, texts })))(
    '$dialect: $texts.0',
    ({ dialect, texts: [expression, words] }) => {
      expect(wordsFor(dialect, expression)).toBe(words ?? expression)
    },
  )

  it('are shown as their parts are listed where more is said than a spelling has', () => {
    expect(wordsFor('bigquery', 'ARRAY_AGG(x IGNORE NULLS LIMIT 5)')).toBe(
      'array_agg(x, ignore_nulls: [:true], limit: [5])',
    )
  })
})

describe('expressions that differ only in brackets or marks are not equal', () => {
  const pairs: readonly (readonly [Dialect, string, string])[] = [
    ['postgres', '(a ~ b) ~ c', 'a ~ (b ~ c)'],
    ['postgres', "(x AT TIME ZONE 'UTC') AT TIME ZONE y", "x AT TIME ZONE ('UTC' AT TIME ZONE y)"],
    ['postgres', "a -> (b -> 'c')", "(a -> b) -> 'c'"],
    ['sqlite', "(a || b) COLLATE NOCASE = 'x'", "a || (b COLLATE NOCASE) = 'x'"],
    ['postgres', '(a IS NOT DISTINCT FROM b) AND c', 'a IS NOT DISTINCT FROM (b AND c)'],
    ['postgres', '-(a + b)', '-a + b'],
    ['postgres', '(a || b)[1]', 'a || b[1]'],
    ['postgres', 'x::timestamp', 'x::timestamptz'],
    ['postgres', "x ~ 'a'", "x ~* 'a'"],
    ['postgres', "x -> 'a'", "x ->> 'a'"],
    ['trino', 'CAST(x AS int)', 'TRY_CAST(x AS int)'],
    ['trino', 'CAST(x AS array(int))', 'CAST(x AS array(bigint))'],
    ['postgres', 'x > ALL (SELECT y FROM u)', 'x >= ALL (SELECT y FROM u)'],
    ['duckdb', 'list_transform(x, y -> y + 1)', 'list_transform(x, y -> y + 2)'],
    ['duckdb', '[1, 2]', '[2, 1]'],
    ['duckdb', 'x[1:2]', 'x[2:1]'],
    ['postgres', 'sum(x) FILTER (WHERE y > 1)', 'sum(x) FILTER (WHERE y > 2)'],
    ['snowflake', 'last_value(x) IGNORE NULLS OVER (ORDER BY y)', 'last_value(x) OVER (ORDER BY y)'],
    ['mysql', 'x - INTERVAL 1 DAY', 'x - INTERVAL 1 MONTH'],
  ]
  it.each(pairs)('%s: %s and %s', (dialect, a, b) => {
    const sql = (expression: string): string => `SELECT ${expression} AS r FROM t`
    expect(compareQueries(parser, sql(a), sql(b), dialect).kind).not.toBe('equal')
  })
})
