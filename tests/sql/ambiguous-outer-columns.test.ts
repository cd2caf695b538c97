import { beforeAll, describe, expect, it } from 'vitest'
import { compareQueries } from '../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../src/sql/parser.js'
import { rowsOf, runsOf } from './in-memory-databases.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('a name in a subquery without its table', () => {
  it('is a column of the table of the subquery only where that is shown, or makes no difference', async () => {
    const runs = await runsOf('sqlite', 'CREATE TABLE t (k, x); CREATE TABLE u (y);', [
      'INSERT INTO t VALUES (1, 5), (2, 7); INSERT INTO u VALUES (1), (2);',
    ])
    const pairs = [
      [
        'SELECT k, (SELECT x FROM u ORDER BY x DESC LIMIT 1) + 1 AS s FROM t',
        'SELECT k, (SELECT max(x) FROM u) + 1 AS s FROM t',
      ],
      [
        'SELECT (SELECT sum(x) FROM u) AS s FROM t',
        'SELECT (SELECT sum(y) FROM (SELECT x AS y FROM u) AS q) AS s FROM t',
      ],
    ] as const
    for (const [a, b] of pairs) {
      expect(await rowsOf(runs, a)).not.toBe(await rowsOf(runs, b))
      expect(compareQueries(parser, a, b, 'sqlite')).toMatchObject({
        kind: 'equal_if',
        assumptions: ['u.x is a column of this query, not of an outer query'],
      })
      expect(compareQueries(parser, a, b.replace(/\bx\b/u, 'u.x'), 'sqlite').kind).toBe('equal')
      expect(compareQueries(parser, a.replace(/\bx\b/u, 't.x'), b, 'sqlite').kind).not.toBe('equal')
    }
    const unharmed = [
      [
        'SELECT k FROM t WHERE k IN (SELECT x FROM u)',
        'SELECT k FROM t WHERE k IN (SELECT DISTINCT x FROM u)',
      ],
      [
        'SELECT k FROM t WHERE k IN (SELECT x FROM u)',
        'SELECT k FROM t WHERE EXISTS (SELECT 1 FROM u WHERE x = t.k)',
      ],
    ] as const
    for (const [a, b] of unharmed) expect(compareQueries(parser, a, b, 'sqlite').kind).toBe('equal')
  })
})
