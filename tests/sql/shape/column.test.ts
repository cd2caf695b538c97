import { beforeAll, describe, expect, it } from 'vitest'
import type { Dialect } from '../../../src/enums/dialect.js'
import { compareQueries } from '../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { parseSchema } from '../../../src/sql/tables/load-schema.js'
import type { Schema } from '../../../src/sql/tables/table-schema.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

function kind(dialect: Dialect, a: string, b: string, schema?: string): string {
  const options = schema === undefined ? {} : { schema: parseSchema(parser, schema, 'ansi') }
  const there = compareQueries(parser, a, b, dialect, options).kind
  expect(compareQueries(parser, b, a, dialect, options).kind).toBe(there)
  return there
}

/** What it is, the dialect, two queries that are equal, and one that the first is not equal to. */
type Row = readonly [string, Dialect, string, string, string]

function expectDistinguished(...[, dialect, a, b, other]: Row): void {
  expect(kind(dialect, a, b)).toBe('equal')
  expect(kind(dialect, a, other)).toBe('different')
}

describe('names that can mean only one thing', () => {
  const rows: readonly Row[] = [
    [
      'columns by their place',
      'snowflake',
      'SELECT t.$2 FROM (SELECT a, b FROM u) AS t',
      'SELECT b FROM u',
      'SELECT a FROM u',
    ],
    [
      'a place of the only table',
      'snowflake',
      'WITH t AS (SELECT 1 AS x, 2 AS x) SELECT $2 FROM t',
      'SELECT 2',
      'WITH t AS (SELECT 1 AS x, 2 AS x) SELECT $1 FROM t',
    ],
    [
      'a field of the only table’s column',
      'trino',
      'SELECT a.b.c FROM t',
      'SELECT u.a.b.c FROM t AS u',
      'SELECT u.a.b FROM t AS u',
    ],
    [
      'an alias in WHERE where the tables lack the column',
      'duckdb',
      'SELECT a + 1 AS d FROM (SELECT a FROM t) AS t WHERE d > 1',
      'SELECT a + 1 FROM t WHERE a + 1 > 1',
      'SELECT a + 1 FROM t WHERE a > 1',
    ],
    [
      'a column in ON of the tables that are joined by then',
      'postgres',
      'SELECT x.a FROM x JOIN y ON x.a = c JOIN z ON x.a = z.c',
      'SELECT x.a FROM x JOIN y ON x.a = y.c JOIN z ON x.a = z.c',
      'SELECT x.a FROM x JOIN y ON x.a = y.d JOIN z ON x.a = z.c',
    ],
    [
      'places in DISTINCT ON',
      'postgres',
      'SELECT DISTINCT ON (1) a, b FROM t ORDER BY 1, b',
      'SELECT DISTINCT ON (a) a, b FROM t ORDER BY a, b',
      'SELECT DISTINCT ON (b) a, b FROM t ORDER BY a, b',
    ],
    [
      'the column of a function that is called as the function',
      'postgres',
      'SELECT generate_series FROM generate_series(1, 2)',
      'SELECT n FROM generate_series(1, 2) AS g(n)',
      'SELECT generate_series FROM generate_series(1, 3)',
    ],
    [
      'fields of STRUCT',
      'bigquery',
      'SELECT STRUCT(t.a, b) FROM t',
      'SELECT STRUCT(a AS a, b AS b) FROM t',
      'SELECT STRUCT(a AS b, b AS a) FROM t',
    ],
  ]
  it.each(rows)('%s', expectDistinguished)

  const ambiguous: readonly Row[] = [
    [
      'a part of a table’s name',
      'trino',
      'SELECT s.a.b FROM c.s.a',
      'select S.A.b FROM c.s.a',
      'SELECT x.s.a.b FROM c.s.a AS x',
    ],
    [
      'a column that one of two tables may have',
      'trino',
      'SELECT a.b FROM t, u',
      'SELECT a.b FROM u, t',
      'SELECT t.a.b FROM t, u',
    ],
    [
      'an alias in WHERE where the dialect has none',
      'postgres',
      'SELECT a + 1 AS d FROM (SELECT a FROM t) AS t WHERE d > 1',
      'SELECT a + 1 AS d FROM (SELECT a FROM t) AS t WHERE 1 < d',
      'SELECT a + 1 AS d FROM t WHERE a + 1 > 1',
    ],
  ]
  it.each(ambiguous)('are not resolved for %s', expectDistinguished)

  it.each([
    ['WHERE', 'SELECT a + 1 AS d FROM t WHERE d > 1', 'SELECT a + 1 AS d FROM t WHERE a + 1 > 1'],
    ['an output', 'SELECT a + 1 AS d, d + 1 AS e FROM t', 'SELECT a + 1 AS d, a + 1 + 1 AS e FROM t'],
  ])('an alias in %s is one only if no table has such a column', (_, alias, written) => {
    expect(compareQueries(parser, alias, written, 'duckdb')).toMatchObject({
      kind: 'equal_if',
      assumptions: ['no table in the queries has a column named d, so it is the alias'],
    })
    expect(kind('duckdb', alias, alias.replace('d > 1', '1 < d'))).toBe('equal')
    expect(kind('postgres', alias, written)).toBe('different')
  })

  it('a name is treated as an alias, with the assumption reported, where only the texts of two queries are known', () => {
    const [alias, written] = [
      'SELECT a + 1 AS d FROM t WHERE d > 1',
      'SELECT a + 1 AS d FROM t WHERE a + 1 > 1',
    ]
    const schema = (columns: string) => parseSchema(parser, `CREATE TABLE t (${columns})`, 'duckdb')
    const found = (known?: Schema, generated = written) =>
      compareQueries(parser, alias, generated, 'duckdb', { schema: known, conventionalNames: true })
    expect(found()).toEqual({
      kind: 'equal',
      assumptions: ['no table in the queries has a column named d, so it is the alias'],
    })
    expect(found(schema('a int'))).toEqual({ kind: 'equal' })
    expect(found(schema('a int, d int')).kind).toBe('different')
    // One of the queries reads such a column, or the rest differs.
    expect(found(undefined, `${written} AND t.d > 0`).kind).toBe('different')
    expect(found(undefined, written.replace('> 1', '> 2')).kind).toBe('different')
  })

  it('many names that may be aliases or columns are the same whichever they are', () => {
    const many = 'SELECT a AS p, p AS q, q AS r, r AS s, s AS u FROM t WHERE p > 1 AND q > 2'
    expect(kind('duckdb', many, many.replace('p > 1 AND q > 2', '2 < q AND 1 < p'))).toBe('equal')
    expect(kind('duckdb', many, many.replace('q > 2', 'q > 3'))).toBe('different')
  })

  it('an output that is a column of its name is that column to its right, too', () => {
    expect(kind('duckdb', 'SELECT a, a + 1 AS b FROM t', 'SELECT t.a, t.a + 1 AS b FROM t')).toBe('equal')
    expect(kind('duckdb', 'SELECT b AS a, a + 1 AS c FROM t', 'SELECT b AS a, a + 1 AS c FROM t')).toBe(
      'equal',
    )
  })

  it('a column in ON is ambiguous in SQLite, which sees all tables there', () => {
    const bare = 'SELECT x.a FROM x JOIN y ON x.a = c JOIN z ON x.a = z.c'
    expect(kind('sqlite', bare, 'SELECT x.a FROM x JOIN y ON x.a = y.c JOIN z ON x.a = z.c')).toBe(
      'different',
    )
  })
})
