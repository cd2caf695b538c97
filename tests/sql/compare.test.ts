import { beforeAll, describe, expect, it } from 'vitest'
import type { Dialect } from '../../src/enums/dialect.js'
import { canonicalForm } from '../../src/sql/canonical-form.js'
import { areEquivalent, compareQueries } from '../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../src/sql/parser.js'
import { rules } from './compare-data.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

function kind(a: string, b: string, dialect: Dialect = 'trino'): string {
  const there = compareQueries(parser, a, b, dialect)
  const back = compareQueries(parser, b, a, dialect)
  expect(back.kind).toBe(there.kind)
  return there.kind
}

describe('structural comparison', () => {
  it.each(rules)('%s', (_, query, equal, nearMiss) => {
    expect(canonicalForm(parser, query, 'trino')).toBe(canonicalForm(parser, equal, 'trino'))
    expect(kind(query, equal)).toBe('equal')
    expect(kind(query, nearMiss)).toBe('different')
  })

  it.each<[Dialect, string, string]>([
    ['sqlite', 'SELECT "a" FROM t WHERE a > 1', 'SELECT a FROM [t] WHERE `a` > 1'],
    ['snowflake', 'SELECT "A" FROM t', 'SELECT a FROM T'],
    ['bigquery', 'SELECT DATE_TRUNC(d, MONTH) FROM `p.s.t`', 'SELECT date_trunc(d, month) FROM p.s.t'],
    ['bigquery', 'SELECT a FROM t WHERE b = "x"', "SELECT a FROM t WHERE b = 'x'"],
    ['mysql', 'SELECT a FROM t LIMIT 2, 5', 'SELECT a FROM t LIMIT 5 OFFSET 2'],
    ['postgres', "SELECT date_part('year', d) FROM t", 'SELECT extract(year FROM d) FROM t'],
    ['duckdb', 'SELECT a::int FROM t WHERE NOT a < 3', 'SELECT CAST(a AS integer) FROM t WHERE a >= 3'],
  ])('%s: %s is %s', (dialect, a, b) => {
    expect(kind(a, b, dialect)).toBe('equal')
  })

  it.each<[Dialect, string, string]>([
    ['postgres', 'SELECT "A" FROM t', 'SELECT a FROM t'],
    ['snowflake', 'SELECT "a" FROM t', 'SELECT a FROM t'],
    ['mysql', 'SELECT length(a) FROM t', 'SELECT char_length(a) FROM t'],
    ['sqlite', "SELECT x'41' FROM t", 'SELECT 0x41 FROM t'],
    ['sqlite', "SELECT date('2025-01-01') FROM t", "SELECT CAST('2025-01-01' AS date) FROM t"],
    ['trino', 'SELECT a FROM t WHERE NOT a < 3', 'SELECT a FROM t WHERE a >= 3'],
    ['bigquery', 'SELECT upper(a) AS a FROM t GROUP BY a', 'SELECT upper(a) AS a FROM t GROUP BY t.a'],
    ['sqlite', 'SELECT a FROM t WHERE b = "X"', 'SELECT a FROM t WHERE b = "x"'],
    [
      'postgres',
      'SELECT t.a FROM t, u RIGHT JOIN v ON u.id = v.id',
      'SELECT t.a FROM t CROSS JOIN u RIGHT JOIN v ON u.id = v.id',
    ],
    ['postgres', 'SELECT x.* FROM t x JOIN u y USING (id)', 'SELECT * FROM t x JOIN u y USING (id)'],
    [
      'trino',
      'SELECT x FROM UNNEST(ARRAY[1]) AS t(x), UNNEST(ARRAY[2]) AS u(y)',
      'SELECT y FROM UNNEST(ARRAY[1]) AS t(x), UNNEST(ARRAY[2]) AS u(y)',
    ],
    [
      'bigquery',
      'SELECT x FROM UNNEST([1]) AS x, UNNEST([2]) AS y',
      'SELECT x FROM UNNEST([2]) AS x, UNNEST([1]) AS y',
    ],
  ])('%s: %s is not %s', (dialect, a, b) => {
    expect(kind(a, b, dialect)).toBe('different')
  })

  it('reads set operations from left to right in SQLite only', () => {
    const sql = 'SELECT a FROM t UNION SELECT a FROM u INTERSECT SELECT a FROM v'
    const intersectFirst = 'SELECT a FROM t UNION (SELECT a FROM u INTERSECT SELECT a FROM v)'
    const unionFirst = '(SELECT a FROM t UNION SELECT a FROM u) INTERSECT SELECT a FROM v'
    const form = (text: string, dialect: Dialect): string | undefined => canonicalForm(parser, text, dialect)
    expect(form(sql, 'postgres')).toBe(form(intersectFirst, 'postgres'))
    expect(form(sql, 'sqlite')).toBe(form(unionFirst, 'postgres'))
    expect(form(sql, 'sqlite')).not.toBe(form(sql, 'postgres'))
  })

  it('reads from each query which columns the tables of the other have', () => {
    const qualified = 'SELECT c.region FROM country c JOIN language l ON c.code = l.code'
    const bare = 'SELECT region FROM language l JOIN country c ON c.code = l.code'
    const swapped = 'SELECT l.region FROM country c JOIN language l ON c.code = l.code'
    expect(kind(qualified, bare)).toBe('equal')
    expect(kind(qualified, swapped)).toBe('different')
    expect(canonicalForm(parser, qualified, 'trino')).not.toBe(canonicalForm(parser, bare, 'trino'))
  })

  it("says on what condition SQLite's double quotes make a text", () => {
    const finding = compareQueries(
      parser,
      'SELECT a FROM t WHERE b = "x"',
      "SELECT a FROM t WHERE b = 'x'",
      'sqlite',
    )
    expect(finding).toMatchObject({ kind: 'equal_if', assumptions: [expect.stringContaining('"x"')] })
    expect(kind('SELECT a, x FROM t WHERE b = "x"', "SELECT a, x FROM t WHERE b = 'x'", 'sqlite')).toBe(
      'different',
    )
  })

  it('says which side cannot be parsed', () => {
    expect(compareQueries(parser, 'SELECT FROM', 'SELECT 1', 'trino')).toMatchObject({
      kind: 'unparsable',
      side: 'expected',
    })
    expect(compareQueries(parser, 'SELECT 1', 'no idea', 'trino')).toMatchObject({
      kind: 'unparsable',
      side: 'generated',
    })
  })

  it('compares long chains', () => {
    const sum = (last: string): string => `SELECT ${'a + '.repeat(500)}${last} FROM t`
    expect(kind(sum('b'), sum('b'))).toBe('equal')
    expect(kind(sum('b'), sum('c'))).toBe('different')
  })
})

it.each([
  ['SELECT a FROM t WHERE b BETWEEN 1 AND 2', 'SELECT t.a FROM t WHERE b >= 1 AND 2 >= b', 'equal'],
  [
    'SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.i = t.i)',
    'SELECT a FROM t WHERE i IN (SELECT i FROM u)',
    'equal',
  ],
  ['SELECT a FROM t WHERE b = 1', 'SELECT a FROM t WHERE b = 2', 'different'],
  ['SELECT max(x) FROM t', 'SELECT x FROM t ORDER BY x DESC LIMIT 1', 'different'],
  ['SELECT a FROM s.t', 'SELECT a FROM t', 'equal_if'],
  ['SELECT a AS x FROM t GROUP BY x', 'SELECT a FROM t GROUP BY a', 'equal_if'],
  ['SELECT a FROM', 'SELECT a FROM t', 'unparsable'],
])('asking only whether queries are equal finds what comparing finds: %s | %s', (one, other, kind) => {
  expect(compareQueries(parser, one, other, 'sqlite').kind).toBe(kind)
  expect(areEquivalent(parser, one, other, 'sqlite')).toBe(kind === 'equal')
  expect(areEquivalent(parser, other, one, 'sqlite')).toBe(kind === 'equal')
})
