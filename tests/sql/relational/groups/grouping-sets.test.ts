import { beforeAll, describe, expect, it } from 'vitest'
import type { Dialect } from '../../../../src/enums/dialect.js'
import { canonicalForm } from '../../../../src/sql/canonical-form.js'
import { compareQueries } from '../../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../../src/sql/parser.js'
import { parseSchema } from '../../../../src/sql/tables/load-schema.js'
import { rowsOf, runsOf } from '../../in-memory-databases.js'

describe('sets of keys, ROLLUP and CUBE', () => {
  it.each<[string, string, string, string, Dialect]>([
    [
      'grouping sets',
      'SELECT a, b, sum(c) FROM t GROUP BY GROUPING SETS ((a, b), (a), ())',
      `SELECT a, b, sum(c) FROM t GROUP BY a, b UNION ALL SELECT a, NULL, sum(c) FROM t GROUP BY a
        UNION ALL SELECT NULL, NULL, sum(c) FROM t`,
      'SELECT a, b, sum(c) FROM t GROUP BY GROUPING SETS ((a, b), (b), ())',
      'postgres',
    ],
    [
      'ROLLUP',
      'SELECT a, b, sum(c) FROM t GROUP BY ROLLUP (a, b)',
      'SELECT a, b, sum(c) FROM t GROUP BY GROUPING SETS ((), (a), (a, b))',
      'SELECT a, b, sum(c) FROM t GROUP BY CUBE (a, b)',
      'trino',
    ],
    [
      'WITH ROLLUP',
      'SELECT a, b, sum(c) FROM t GROUP BY a, b WITH ROLLUP',
      'SELECT a, b, sum(c) FROM t GROUP BY a, b WITH ROLLUP HAVING 1 = 1',
      'SELECT a, b, sum(c) FROM t GROUP BY b, a WITH ROLLUP',
      'mysql',
    ],
    [
      'GROUPING()',
      'SELECT a, grouping(a), sum(c) FROM t GROUP BY ROLLUP (a)',
      'SELECT a, 0, sum(c) FROM t GROUP BY a UNION ALL SELECT NULL, 1, sum(c) FROM t',
      'SELECT a, 1, sum(c) FROM t GROUP BY a UNION ALL SELECT NULL, 0, sum(c) FROM t',
      'duckdb',
    ],
    [
      'two names of one column as grouping keys',
      `SELECT x, y, sum(c) FROM (SELECT a AS x, a AS y, c FROM t) d GROUP BY GROUPING SETS ((x), (y))`,
      `SELECT a, NULL, sum(c) FROM t GROUP BY a UNION ALL SELECT NULL, a, sum(c) FROM t GROUP BY a`,
      'SELECT a, a, sum(c) FROM t GROUP BY GROUPING SETS ((a), (a))',
      'postgres',
    ],
  ])('%s', async (_, a, b, other, dialect) => {
    const parser = await loadSqlParser()
    expect(compareQueries(parser, a, b, dialect)).toEqual({ kind: 'equal' })
    expect(compareQueries(parser, a, other, dialect).kind).toBe('different')
  })
})

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

const ddl = 'CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, s TEXT, f BOOLEAN);'
const data: readonly string[] = [
  "INSERT INTO t VALUES (1, 1, 1, 'a', TRUE), (2, 1, 2, 'ba', FALSE), (3, NULL, 2, NULL, NULL), (4, 2, 2, 'b', TRUE);",
  '',
  'INSERT INTO t VALUES (1, NULL, NULL, NULL, NULL);',
]

const keys = [
  ...['ROLLUP (a)', 'ROLLUP (a, b)', 'CUBE (b, a)', 'GROUPING SETS ((a), ())', 'GROUPING SETS ((a), (b))'],
  ...['a, ROLLUP (b)', '()', 'a, ()'],
]
const conditions = ['TRUE', 'a = 1', 'a = b', 'a = 1 AND b IS NOT NULL', 'a > 1']
const lists = [
  ...['a', 'b, a', 'coalesce(a, 0)', 'coalesce(a, b)', 'grouping(a)', 'DISTINCT a', '1', 'count(*)'],
  ...['a, rank() OVER (ORDER BY a)', 'b, rank() OVER (ORDER BY a)'],
]
const groups = ['', 'HAVING a IS NOT NULL', 'HAVING a = 1', 'HAVING count(*) > 0']
const queries = keys.flatMap((key) =>
  conditions.flatMap((condition) => [
    ...lists.flatMap((list) =>
      groups.map((having) => `SELECT ${list} FROM t WHERE ${condition} GROUP BY ${key} ${having}`),
    ),
    ...['TRUE', 'k IS NOT NULL', 'k = 1'].map(
      (outer) =>
        `SELECT k FROM (SELECT a AS k, count(*) FROM t WHERE ${condition} GROUP BY ${key}) AS q WHERE ${outer}`,
    ),
  ]),
)

describe('several sets of keys', () => {
  it('have one form only where they have the same rows', { timeout: 60_000 }, async () => {
    const [runs, schema] = [await runsOf('duckdb', ddl, data), parseSchema(parser, ddl, 'duckdb')]
    const forms = new Map<string, string[]>()
    for (const sql of queries) {
      const form = canonicalForm(parser, sql, 'duckdb', schema) ?? sql
      forms.set(form, [...(forms.get(form) ?? []), sql])
    }
    const found: string[] = []
    for (const group of [...forms.values()].filter(({ length }) => length > 1)) {
      const known = new Map<string, string>()
      for (const sql of group) {
        const rows = await rowsOf(runs, sql)
        if (rows !== undefined && !known.has(rows)) known.set(rows, sql)
      }
      if (known.size > 1) found.push([...known.values()].join('\n'))
    }
    expect(forms.size).toBeLessThan(queries.length)
    expect(found).toEqual([])
  })

  it.each([
    ['SELECT a FROM t GROUP BY ROLLUP (a)', 'SELECT a FROM t GROUP BY GROUPING SETS ((), (a))'],
    [
      'SELECT a FROM t GROUP BY ROLLUP (a)',
      'SELECT a FROM t GROUP BY a UNION ALL SELECT NULL FROM t HAVING TRUE',
    ],
    ['SELECT DISTINCT a FROM t GROUP BY CUBE (a, b)', 'SELECT DISTINCT a FROM t GROUP BY CUBE (b, a)'],
    ['SELECT count(*) FROM t GROUP BY ()', 'SELECT count(*) FROM t'],
    [
      'SELECT a, rank() OVER (ORDER BY count(*)) FROM t GROUP BY ROLLUP (a) ORDER BY 1',
      'SELECT x.a, rank() OVER (ORDER BY count(*)) FROM t AS x GROUP BY ROLLUP (x.a) ORDER BY a',
    ],
  ])('are equal: %s, %s', async (a, b) => {
    const runs = await runsOf('duckdb', ddl, data)
    expect(await rowsOf(runs, a)).toBe(await rowsOf(runs, b))
    expect(compareQueries(parser, a, b, 'duckdb').kind).toBe('equal')
  })
})
