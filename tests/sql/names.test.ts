import { beforeAll, describe, expect, it } from 'vitest'
import type { Dialect } from '../../src/enums/dialect.js'
import { compareQueries } from '../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../src/sql/parser.js'
import { parseSchema } from '../../src/sql/tables/load-schema.js'
import type { Schema } from '../../src/sql/tables/table-schema.js'

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

function isTold(...[, dialect, a, b, other]: Row): void {
  expect(kind(dialect, a, b)).toBe('equal')
  expect(kind(dialect, a, other)).toBe('different')
}

describe('set operations by name', () => {
  const rows: readonly Row[] = [
    [
      'are those by position once both list the same',
      'duckdb',
      'SELECT a, b FROM t UNION ALL BY NAME SELECT b, a FROM u',
      'SELECT a, b FROM t UNION ALL SELECT a, b FROM u',
      'SELECT a, b FROM t UNION ALL SELECT b, a FROM u',
    ],
    [
      'fill with NULL in DuckDB',
      'duckdb',
      'SELECT a, b FROM t UNION BY NAME SELECT b, c FROM u',
      'SELECT a, b, NULL AS c FROM t UNION SELECT NULL, b, c FROM u',
      'SELECT b FROM t UNION SELECT b FROM u',
    ],
    [
      'keep what both have with CORRESPONDING',
      'bigquery',
      'SELECT a, b FROM t UNION ALL CORRESPONDING SELECT b, c FROM u',
      'SELECT b FROM t INNER UNION ALL BY NAME SELECT b FROM u',
      'SELECT a, b FROM t FULL UNION ALL CORRESPONDING SELECT b, c FROM u',
    ],
    [
      'keep the columns of the left side with LEFT',
      'bigquery',
      'SELECT a, b FROM t LEFT UNION ALL BY NAME SELECT b, c FROM u',
      'SELECT a, b FROM t UNION ALL SELECT NULL, b FROM u',
      'SELECT a, b FROM t FULL UNION ALL BY NAME SELECT b, c FROM u',
    ],
    [
      'take a list of columns',
      'bigquery',
      'SELECT a, b FROM t FULL UNION ALL BY NAME ON (b, c) SELECT b, c FROM u',
      'SELECT b, NULL AS c FROM t UNION ALL SELECT b, c FROM u',
      'SELECT a, b FROM t UNION ALL SELECT b, c FROM u',
    ],
    [
      'drop duplicates before columns are left out',
      'bigquery',
      '(SELECT a, b FROM t UNION DISTINCT SELECT a, b FROM u) INNER UNION ALL BY NAME SELECT a FROM v',
      'SELECT a FROM (SELECT a, b FROM t UNION DISTINCT SELECT a, b FROM u) UNION ALL SELECT a FROM v',
      '(SELECT a FROM t UNION DISTINCT SELECT a FROM u) UNION ALL SELECT a FROM v',
    ],
  ]
  it.each(rows)('%s', isTold)

  it('stay as written where names are not known', () => {
    const named = 'SELECT * FROM t UNION ALL BY NAME SELECT a FROM u'
    expect(kind('duckdb', named, 'SELECT * FROM t UNION ALL SELECT a FROM u')).toBe('different')
    expect(kind('duckdb', named, named)).toBe('equal')
  })
})

describe('names that only one thing can have', () => {
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
  it.each(rows)('%s', isTold)

  const apart: readonly Row[] = [
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
  it.each(apart)('but not %s', isTold)

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

  it('an alias is one, and told, where only the texts of two queries are there', () => {
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

describe('elements of arrays in FROM', () => {
  const rows: readonly Row[] = [
    [
      'LATERAL VIEW',
      'spark',
      'SELECT c FROM t LATERAL VIEW explode(a) AS c',
      'SELECT v.c FROM t LATERAL VIEW explode(t.a) v AS c',
      'SELECT c FROM t LATERAL VIEW OUTER explode(a) v AS c',
    ],
    [
      'WITH OFFSET',
      'bigquery',
      'SELECT * FROM UNNEST([5, 6]) AS x WITH OFFSET',
      'SELECT y, at FROM UNNEST([5, 6]) AS y WITH OFFSET AS at',
      'SELECT x FROM UNNEST([5, 6]) AS x WITH OFFSET',
    ],
    [
      'fields of records with a written type',
      'bigquery',
      "SELECT * FROM UNNEST(ARRAY<STRUCT<k STRING, v INT64>>[('a', 1)])",
      "SELECT k, v FROM UNNEST(ARRAY<STRUCT<k STRING, v INT64>>[('a', 1)])",
      "SELECT k FROM UNNEST(ARRAY<STRUCT<k STRING, v INT64>>[('a', 1)])",
    ],
    [
      'a path after its table',
      'bigquery',
      'SELECT i.k FROM t AS u, u.items AS i',
      'SELECT j.k FROM t, UNNEST(t.items) AS j',
      'SELECT i.k FROM t AS u, s.items AS i',
    ],
    [
      'LATERAL before a function',
      'postgres',
      'SELECT t.a, x FROM t, LATERAL unnest(t.b) AS x',
      'SELECT t.a, y FROM t, unnest(t.b) AS y',
      'SELECT t.a, y FROM t, unnest(t.c) AS y',
    ],
  ]
  it.each(rows)('%s', isTold)
})

describe('queries in brackets in FROM', () => {
  it.each([
    [
      'SELECT t.a FROM (u JOIN v ON u.i = v.i) AS t',
      'SELECT t.a FROM (SELECT * FROM u JOIN v ON u.i = v.i) AS t',
    ],
    [
      'SELECT a FROM ((SELECT a FROM u UNION SELECT b FROM v)) AS t',
      'SELECT t.a FROM (SELECT a FROM u UNION SELECT b FROM v) AS t',
    ],
    ['SELECT t.c FROM ((SELECT a FROM u)) AS t(c)', 'SELECT a FROM u'],
  ])('%s', (a, b) => {
    expect(kind('postgres', a, b)).toBe('equal')
  })
})

describe('paths in a VARIANT', () => {
  it.each(["GET_PATH(x, 'a.b')", "x['a']['b']", "GET(GET(x, 'a'), 'b')", 'x:a:b'])('%s is x:a.b', (path) => {
    expect(kind('snowflake', 'SELECT x:a.b FROM t', `SELECT ${path} FROM t`)).toBe('equal')
  })

  it.each(['x:"a.b"', 'x:A.b', "GET_PATH(x, 'a.c')"])('%s is not', (path) => {
    expect(kind('snowflake', 'SELECT x:a.b FROM t', `SELECT ${path} FROM t`)).toBe('different')
  })
})

describe('texts compared with dates', () => {
  it('are dates', () => {
    const a =
      "SELECT a FROM t WHERE CAST(b AS DATE) >= '2024-01-01' AND CAST(c AS TIMESTAMP) < '2024-01-01 10:00:00'"
    const b =
      "SELECT a FROM t WHERE CAST(b AS DATE) >= DATE '2024-01-01' AND CAST(c AS TIMESTAMP) < CAST('2024-01-01 10:00:00' AS TIMESTAMP)"
    expect(kind('postgres', a, b)).toBe('equal')
    expect(kind('sqlite', a, b)).toBe('different')
  })

  it('by the type of a column', () => {
    const [a, b] = ["SELECT a FROM t WHERE d = '2024-01-01'", "SELECT a FROM t WHERE d = DATE '2024-01-01'"]
    expect(kind('postgres', a, b, 'CREATE TABLE t (a INT, d DATE)')).toBe('equal')
    expect(kind('postgres', a, b, 'CREATE TABLE t (a INT, d TEXT)')).toBe('different')
    // Nothing but a date or a time is compared with a date.
    expect(kind('postgres', a, b)).toBe('equal')
    expect(kind('trino', a, b)).toBe('different')
    expect(kind('snowflake', a, b)).toBe('equal_if')
  })
})

describe('numbers as conditions', () => {
  it.each(['WHERE 1', 'WHERE 1 <> 0', 'WHERE NOT 0', 'WHERE a = a OR 1'])(
    '%s leaves nothing out',
    (where) => {
      expect(kind('mysql', 'SELECT b FROM t', `SELECT b FROM t ${where}`)).toBe('equal')
    },
  )

  it('are no values', () => {
    expect(kind('mysql', 'SELECT b FROM t WHERE a = 1', 'SELECT b FROM t WHERE a')).toBe('different')
  })
})

describe('a column of USING behind two tables', () => {
  const using = 'SELECT sum(a.x) FROM a JOIN b ON b.k = a.k JOIN c USING (m)'
  const of = (table: string): string =>
    `SELECT sum(a.x) FROM a JOIN b ON b.k = a.k JOIN c ON c.m = ${table}.m`

  it('is that of the only one that a schema knows to have it', () => {
    const schema = 'CREATE TABLE a (k INT, x INT); CREATE TABLE b (k INT, m INT); CREATE TABLE c (m INT)'
    expect(kind('duckdb', using, of('b'), schema)).toBe('equal')
    expect(kind('duckdb', using, of('a'), schema)).toBe('different')
  })

  it('is of neither for sure where both have it, or where nothing tells', () => {
    const schema =
      'CREATE TABLE a (k INT, m INT, x INT); CREATE TABLE b (k INT, m INT); CREATE TABLE c (m INT)'
    expect(kind('sqlite', using, of('b'), schema)).toBe('different')
    expect(kind('sqlite', using, of('a'), schema)).toBe('different')
    expect(kind('duckdb', using, of('b'))).toBe('different')
  })
})
