import { describe, expect, it } from 'vitest'
import { compareQueries } from '../../../src/sql/compare.js'
import { loadSqlParser } from '../../../src/sql/parser.js'
import { compared } from '../compare-with-rows.js'

describe('GROUP BY ALL and ORDER BY ALL', () => {
  it.each<['duckdb' | 'sqlite', string, string]>([
    ['duckdb', 'SELECT s, a, count(*) FROM t GROUP BY ALL', 'SELECT s, a, count(*) FROM t GROUP BY 1, 2'],
    [
      'duckdb',
      'SELECT a + 1 AS n, sum(a) * 2 FROM t GROUP BY ALL HAVING n > 1',
      'SELECT a + 1, sum(a) * 2 FROM t GROUP BY 1 HAVING a + 1 > 1',
    ],
    ['duckdb', 'SELECT sum(a), max(s) FROM t GROUP BY ALL', 'SELECT sum(a), max(s) FROM t'],
    ['duckdb', "SELECT 'x', sum(a) FROM t WHERE a > 9 GROUP BY ALL", "SELECT 'x', sum(a) FROM t WHERE a > 9"],
    ['duckdb', 'SELECT s, a FROM t ORDER BY ALL', 'SELECT s, a FROM t ORDER BY 1, 2'],
    ['duckdb', 'SELECT a, s FROM t ORDER BY ALL DESC', 'SELECT a, s FROM t ORDER BY a DESC, s DESC'],
  ])('%s: %s is %s', async (dialect, one, other) => {
    const { kinds, left, right } = await compared(dialect, one, other)
    expect(kinds).toEqual(['equal', 'equal'])
    expect(left).toEqual(right)
  })

  it.each<['duckdb' | 'sqlite', string, string]>([
    ['duckdb', 'SELECT a, count(*) FROM t GROUP BY ALL', 'SELECT a, count(*) FROM t GROUP BY a, s'],
    ['duckdb', 'SELECT s, a FROM t ORDER BY ALL', 'SELECT s, a FROM t ORDER BY 2, 1'],
    ['duckdb', 'SELECT s, a FROM t ORDER BY ALL', 'SELECT s, a FROM t ORDER BY 1 DESC, 2 DESC'],
  ])('%s: %s is not %s', async (dialect, one, other) => {
    const { kinds, left, right } = await compared(dialect, one, other)
    expect(kinds).not.toContain('equal')
    expect(left).not.toEqual(right)
  })

  it('GROUP BY ALL stays as it is beside an output that may aggregate or not', async () => {
    const parser = await loadSqlParser()
    const [one, other] = [
      'SELECT own(a), count(*) FROM t GROUP BY ALL',
      'SELECT own(a), count(*) FROM t GROUP BY 1',
    ]
    expect(compareQueries(parser, one, other, 'duckdb').kind).toBe('different')
  })

  it('a column in quotes that is named all is a column', async () => {
    const parser = await loadSqlParser()
    const [one, other] = ['SELECT b, c FROM t ORDER BY "all"', 'SELECT b, c FROM t ORDER BY b, c']
    expect(compareQueries(parser, one, other, 'duckdb').kind).toBe('different')
  })
})
