import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../../../src/enums/dialect.js'
import { compareQueries } from '../../../../src/sql/compare.js'
import { loadSqlParser } from '../../../../src/sql/parser.js'

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
