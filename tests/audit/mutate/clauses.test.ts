import { describe, expect, it } from 'vitest'
import { sqlOf, wordsOf } from '../made-mutants.js'

describe('joins, DISTINCT, LIMIT and ORDER BY', () => {
  it('makes an inner join LEFT and an outer one inner', () => {
    expect(
      sqlOf('join', 'SELECT 1 FROM a INNER JOIN b ON x LEFT OUTER JOIN c ON y JOIN d USING (z) CROSS JOIN e'),
    ).toEqual([
      'SELECT 1 FROM a LEFT JOIN b ON x LEFT OUTER JOIN c ON y JOIN d USING (z) CROSS JOIN e',
      'SELECT 1 FROM a INNER JOIN b ON x JOIN c ON y JOIN d USING (z) CROSS JOIN e',
      'SELECT 1 FROM a INNER JOIN b ON x LEFT OUTER JOIN c ON y LEFT JOIN d USING (z) CROSS JOIN e',
    ])
  })

  it('adds DISTINCT only where a row can come twice', () => {
    expect(sqlOf('distinct', 'SELECT a FROM t')).toEqual(['SELECT DISTINCT a FROM t'])
    expect(sqlOf('distinct', 'SELECT DISTINCT a FROM t')).toEqual(['SELECT a FROM t'])
    expect(sqlOf('distinct', 'SELECT max(b) AS b FROM t')).toEqual([])
    expect(sqlOf('distinct', 'SELECT a, substr(b, 1) AS c, max(d) FROM t GROUP BY 1, c')).toEqual([])
    expect(sqlOf('distinct', 'SELECT max(d) FROM t GROUP BY a')).toEqual([
      'SELECT DISTINCT max(d) FROM t GROUP BY a',
    ])
    expect(sqlOf('distinct', 'SELECT max(a) OVER () FROM t')).toEqual([
      'SELECT DISTINCT max(a) OVER () FROM t',
    ])
  })

  it('takes a row more and a row fewer, though never none', () => {
    expect(wordsOf('limit', 'SELECT a FROM t LIMIT 5')).toEqual([
      'LIMIT 6 instead of 5',
      'LIMIT 4 instead of 5',
    ])
    expect(wordsOf('limit', 'SELECT a FROM t LIMIT 1')).toEqual(['LIMIT 2 instead of 1'])
  })

  it('turns each key round, NULLS FIRST or not', () => {
    expect(
      sqlOf('order', 'SELECT a FROM t ORDER BY f(a, b) DESC NULLS LAST, c NULLS FIRST, d ASC LIMIT 5'),
    ).toEqual([
      'SELECT a FROM t ORDER BY f(a, b) ASC NULLS LAST, c NULLS FIRST, d ASC LIMIT 5',
      'SELECT a FROM t ORDER BY f(a, b) DESC NULLS LAST, c DESC NULLS FIRST, d ASC LIMIT 5',
      'SELECT a FROM t ORDER BY f(a, b) DESC NULLS LAST, c NULLS FIRST, d DESC LIMIT 5',
    ])
    expect(wordsOf('order', 'SELECT sum(a) OVER (ORDER BY b ROWS UNBOUNDED PRECEDING) FROM t')).toEqual([
      'ORDER BY b descending instead of ascending',
    ])
  })
})
