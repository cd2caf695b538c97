import { beforeAll, describe, expect, it } from 'vitest'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { comparePair, kindBothWays } from '../dialect-pairs.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('names of two databases', () => {
  it.each([
    ['mysql: SELECT p.Name FROM People p', 'postgres: SELECT p."Name" FROM "People" p'],
    ['mysql: SELECT `District Code` FROM frpm', 'postgres: SELECT "District Code" FROM frpm'],
    ['sqlite: SELECT a FROM Dogs', 'bigquery: SELECT a FROM `Dogs`'],
    ['postgres: SELECT id FROM "order"', 'snowflake: SELECT id FROM "order"'],
    ['snowflake: SELECT "Value" FROM "Facts"', 'postgres: SELECT value FROM facts'],
    ['postgres: SELECT x."Id" FROM (SELECT "Id" FROM t) x', 'duckdb: SELECT x.id FROM (SELECT id FROM t) x'],
  ])('%s is %s: a case that one keeps and the other does not is no name', (expected, generated) => {
    expect(kindBothWays(parser, expected, generated)).toBe('equal')
  })

  it.each([
    ['two columns of a table', 'postgres: SELECT t.a, t."A" FROM t', 'mysql: SELECT t.a, t.a FROM t'],
    ['two tables', 'postgres: SELECT 1 FROM t, "T"', 'mysql: SELECT 1 FROM t, t AS u'],
    ['bare ones', 'postgres: SELECT a, "A" FROM t, u', 'mysql: SELECT a, a FROM t, u'],
    ['one dialect', 'postgres: SELECT "A" FROM t', 'postgres: SELECT a FROM t'],
  ])('keeps %s apart that only their case tells', (_, expected, generated) => {
    expect(kindBothWays(parser, expected, generated)).toBe('different')
  })
})

describe('a key that a query in PostgreSQL shows', () => {
  const shown = 'SELECT t.id, t.name, count(*) FROM t JOIN u ON u.t_id = t.id GROUP BY t.id'

  it.each(['sqlite', 'mysql', 'snowflake'])('is one in %s', (dialect) => {
    expect(kindBothWays(parser, `postgres: ${shown}`, `${dialect}: ${shown}`)).toBe('equal')
    expect(kindBothWays(parser, `postgres: ${shown}`, `${dialect}: ${shown}, t.name`)).toBe('equal')
  })

  it('says nothing of other tables, and nothing where no query is in PostgreSQL', () => {
    const other = 'SELECT t.id, u.name, count(*) FROM t JOIN u ON u.t_id = t.id GROUP BY t.id'
    expect(kindBothWays(parser, `postgres: ${shown}`, `sqlite: ${other}`)).toBe('different')
    expect(kindBothWays(parser, `sqlite: ${shown}`, `mysql: ${shown}, t.name`)).toBe('different')
  })
})

describe('what two dialects spell in two ways', () => {
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

describe('days from one to another', () => {
  it('are whole days and midnights alike where there is no time of the day', () => {
    const finding = comparePair(parser, "presto: date_diff('day', a, b)", "duckdb: date_diff('day', a, b)")
    expect(finding).toMatchObject({ kind: 'equal_if', assumptions: ['t.a holds days', 't.b holds days'] })
    const months = ["presto: date_diff('month', a, b)", "duckdb: date_diff('month', a, b)"] as const
    expect(kindBothWays(parser, ...months)).toBe('different')
  })
})

describe('the place of NULLs', () => {
  it.each([
    [
      'postgres: SELECT a FROM t ORDER BY b NULLS LAST',
      'mysql: SELECT a FROM t ORDER BY b',
      'orders the rows',
    ],
    [
      'postgres: SELECT lag(a) OVER (ORDER BY b) FROM t',
      'mysql: SELECT lag(a) OVER (ORDER BY b) FROM t',
      'orders the rows of a window',
    ],
    [
      'postgres: SELECT lag(a) OVER (ORDER BY b) FROM t',
      'postgres: SELECT lag(a) OVER (ORDER BY b NULLS FIRST) FROM t',
      undefined,
    ],
    ['duckdb: SELECT a FROM t ORDER BY b NULLS FIRST', 'duckdb: SELECT a FROM t ORDER BY b', undefined],
  ])('is a question of two dialects only where there are NULLs: %s, %s', (expected, generated, words) => {
    const finding = comparePair(parser, expected, generated)
    const assumed = { kind: 'equal_if', assumptions: [expect.stringContaining(words ?? '')] }
    expect(finding).toMatchObject(words === undefined ? { kind: 'different' } : assumed)
  })
})

describe('differences of two dialects', () => {
  it('leave out what is only spelled in two ways', () => {
    const expected = "postgres: SELECT date_trunc('month', d), sum(a) FROM t WHERE b = 1 GROUP BY 1"
    const generated = "sqlite: SELECT strftime('%Y-%m-01', d), sum(a) FROM t GROUP BY 1"
    const finding = comparePair(parser, expected, generated)
    expect('differences' in finding && finding.differences.map(({ text }) => text)).toEqual([
      'filter missing: b = 1',
    ])
  })
})
