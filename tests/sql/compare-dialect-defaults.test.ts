import { beforeAll, describe, expect, it } from 'vitest'
import type { Dialect } from '../../src/enums/dialect.js'
import { compareQueryPair } from '../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../src/sql/parser.js'
import type { StructuralComparison } from '../../src/sql/structural-comparison.js'
import { parseSchema } from '../../src/sql/tables/load-schema.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

type Query = readonly [dialect: Dialect, sql: string]

function found(
  one: Query,
  other: Query,
  options: { ddl?: string; dialectDefaults?: boolean } = {},
): StructuralComparison {
  const [expected, generated] = [one, other].map(([dialect, sql]) => ({ dialect, sql }))
  if (expected === undefined || generated === undefined) throw new Error('There are two queries')
  const schema = options.ddl === undefined ? undefined : parseSchema(parser, options.ddl, one[0])
  return compareQueryPair(parser, expected, generated, {
    schema,
    dialectDefaults: options.dialectDefaults ?? true,
  })
}

const alike: readonly (readonly [one: Query, other: Query, assumed: readonly string[]])[] = [
  [
    ['postgres', 'SELECT a FROM t ORDER BY a LIMIT 5'],
    ['mysql', 'SELECT a FROM t ORDER BY a LIMIT 5'],
    ['t.a, which orders the rows, is never NULL'],
  ],
  [
    ['presto', 'SELECT max_by(a, b) FROM t'],
    ['duckdb', 'SELECT arg_max(a, b) FROM t'],
    ['t.a is never NULL'],
  ],
  [
    ['mysql', 'SELECT CAST(a AS CHAR) FROM t'],
    ['duckdb', 'SELECT CAST(a AS VARCHAR) FROM t'],
    ['t.a holds texts, days or whole numbers'],
  ],
  [
    ['postgres', "SELECT a FROM t WHERE b > x - INTERVAL '14 days'"],
    ['sqlite', "SELECT a FROM t WHERE b > date(x, '-14 days')"],
    ['t.x holds days'],
  ],
  [
    ['postgres', "SELECT a FROM t WHERE b > x + INTERVAL '1 month'"],
    ['sqlite', "SELECT a FROM t WHERE b > date(x, '+1 month')"],
    ['no date moved by months meets a month that lacks its day', 't.x holds days'],
  ],
  [
    ['postgres', 'SELECT CURRENT_DATE - max(d) FROM t'],
    ['mysql', 'SELECT DATEDIFF(CURRENT_DATE, max(d)) FROM t'],
    ['t.d holds days'],
  ],
  [
    ['postgres', 'SELECT avg(EXTRACT(EPOCH FROM (b - a))) FROM t'],
    ['bigquery', 'SELECT avg(TIMESTAMP_DIFF(b, a, SECOND)) FROM t'],
    ['t.a and t.b hold whole seconds'],
  ],
]

describe('a difference that two dialects have by default', () => {
  it.each(alike)('is ignored and reported where only two texts are known: %s', (one, other, assumed) => {
    expect(found(one, other)).toEqual({ kind: 'equal', assumptions: assumed })
    expect(found(other, one).kind).toBe('equal')
  })

  it.each(alike)('is an assumption where the option is not set: %s', (one, other, assumed) => {
    expect(found(one, other, { dialectDefaults: false })).toMatchObject({
      kind: 'equal_if',
      assumptions: assumed,
    })
  })

  it('is asked of the schema where there is one', () => {
    const query = 'SELECT a FROM t ORDER BY a LIMIT 5'
    const kind = (ddl: string): string => found(['postgres', query], ['mysql', query], { ddl }).kind
    expect(kind('CREATE TABLE t (a int NOT NULL)')).toBe('equal')
    expect(kind('CREATE TABLE t (a int)')).toBe('equal_if')
  })

  it.each<readonly [string, Query, Query]>([
    [
      'a cast to a day',
      ['postgres', "SELECT a FROM t WHERE CAST(ts AS DATE) <= '2025-01-31'"],
      ['mysql', "SELECT a FROM t WHERE ts <= '2025-01-31'"],
    ],
    [
      'a place for NULLs',
      ['postgres', 'SELECT a FROM t ORDER BY a NULLS FIRST LIMIT 5'],
      ['trino', 'SELECT a FROM t ORDER BY a LIMIT 5'],
    ],
    [
      'a side of an outer join that finds no partner',
      ['postgres', 'SELECT t.a FROM t LEFT JOIN u ON t.id = u.id ORDER BY u.v LIMIT 5'],
      ['mysql', 'SELECT t.a FROM t LEFT JOIN u ON t.id = u.id ORDER BY u.v LIMIT 5'],
    ],
    [
      'the same in a window',
      ['postgres', 'SELECT row_number() OVER (ORDER BY u.v) FROM t LEFT JOIN u ON t.id = u.id'],
      ['sqlite', 'SELECT row_number() OVER (ORDER BY u.v) FROM t LEFT JOIN u ON t.id = u.id'],
    ],
    ...['lag(b) OVER (ORDER BY c)', 'nullif(b, 0)', 'CASE WHEN b > 0 THEN b END'].map(
      (value): [string, Query, Query] => [
        'NULLs of the query itself',
        ['postgres', `SELECT a, ${value} AS v FROM t ORDER BY v DESC LIMIT 5`],
        ['mysql', `SELECT a, ${value} AS v FROM t ORDER BY v DESC LIMIT 5`],
      ],
    ),
    [
      'rows of another query',
      ['postgres', 'SELECT a FROM t UNION ALL SELECT b FROM u ORDER BY 1 LIMIT 1'],
      ['mysql', 'SELECT a FROM t UNION ALL SELECT b FROM u ORDER BY 1 LIMIT 1'],
    ],
    [
      'a quotient that keeps its places',
      ['trino', 'SELECT sum(a) / sum(b) FROM t'],
      ['postgres', 'SELECT sum(a) / sum(b) FROM t'],
    ],
    [
      'a guard against 0',
      ['postgres', 'SELECT CAST(sum(a) AS float) / sum(b) FROM t'],
      ['snowflake', 'SELECT CAST(sum(a) AS float) / NULLIF(sum(b), 0) FROM t'],
    ],
    ['a division that may round', ['postgres', 'SELECT a / b FROM t'], ['mysql', 'SELECT a / b FROM t']],
  ])('does not cover what an author wrote, nor what changes most numbers: %s', (_, one, other) => {
    expect(found(one, other).kind).toBe('equal_if')
    expect(found(other, one).kind).toBe('equal_if')
  })

  it('does not cover NULLs of rows of subtotals', () => {
    const totals = (group: string): string =>
      `SELECT a, sum(b) FROM t GROUP BY ${group} ORDER BY a DESC LIMIT 3`
    const one: Query = ['postgres', totals('ROLLUP(a)')]
    expect(found(one, ['mysql', totals('a WITH ROLLUP')]).kind).toBe('different')
    expect(found(one, ['postgres', totals('ROLLUP(a)')]).kind).toBe('equal')
  })

  it('does not cover decimals of the schema', () => {
    const query = 'SELECT e / f FROM t'
    const kind = (type: string): string =>
      found(['trino', query], ['postgres', query], { ddl: `CREATE TABLE t (e ${type}, f ${type})` }).kind
    expect(kind('decimal(10, 2)')).toBe('different')
    expect(kind('integer')).toBe('equal')
  })

  it('is not ignored beside others: one assumption of another kind, and the finding is "equal if"', () => {
    const ordered = (sql: string): string => `${sql} ORDER BY c LIMIT 5`
    const finding = found(
      ['postgres', ordered('SELECT a / b AS r, c FROM t')],
      ['mysql', ordered('SELECT a / b AS r, c FROM t')],
    )
    expect(finding.kind).toBe('equal_if')
    expect(finding).toHaveProperty('assumptions', [
      'no division is one of integers',
      't.c, which orders the rows, is never NULL',
    ])
  })

  it('covers nothing in one dialect', () => {
    const query = (order: string): Query => ['trino', `SELECT a FROM t ORDER BY ${order} LIMIT 5`]
    expect(found(query('a'), query('a NULLS FIRST')).kind).toBe('different')
  })
})
