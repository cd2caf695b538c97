import { describe, expect, it } from 'vitest'
import { sqlOf, wordsOf } from '../made-mutants.js'

describe('conditions', () => {
  it('leaves out each one, with its AND', () => {
    expect(sqlOf('condition', "SELECT 1 FROM t WHERE a = 1 AND b = 'x' AND c")).toEqual([
      "SELECT 1 FROM t WHERE b = 'x' AND c",
      'SELECT 1 FROM t WHERE a = 1 AND c',
      "SELECT 1 FROM t WHERE a = 1 AND b = 'x'",
    ])
    expect(wordsOf('condition', "SELECT 1 FROM t WHERE a  =\n 1 AND b = 'x'")).toEqual([
      'without a = 1',
      "without b = 'x'",
    ])
  })

  it('leaves out the clause with its only condition, but not the ON of a join or the WHERE of a FILTER', () => {
    expect(sqlOf('condition', 'SELECT 1 FROM t WHERE a GROUP BY b HAVING c')).toEqual([
      'SELECT 1 FROM t  GROUP BY b HAVING c',
      'SELECT 1 FROM t WHERE a GROUP BY b ',
    ])
    expect(sqlOf('condition', 'SELECT 1 FROM t JOIN u ON t.a = u.a')).toEqual([
      'SELECT 1 FROM t JOIN u ON 1 = 1',
    ])
    expect(sqlOf('condition', 'SELECT count(x) FILTER (WHERE a) FROM t')).toEqual([
      'SELECT count(x) FILTER (WHERE 1 = 1) FROM t',
    ])
  })

  it('keeps the AND of BETWEEN, of CASE and of brackets inside a condition', () => {
    expect(wordsOf('condition', 'SELECT 1 FROM t WHERE a BETWEEN 1 AND 2 AND (b OR c AND d)')).toEqual([
      'without a BETWEEN 1 AND 2',
      'without (b OR c AND d)',
    ])
    expect(wordsOf('condition', 'SELECT 1 FROM t WHERE CASE WHEN a AND b THEN c END')).toEqual([
      'without CASE WHEN a AND b THEN c END',
    ])
  })

  it('takes conditions with an OR beside them as one', () => {
    expect(wordsOf('condition', 'SELECT 1 FROM t WHERE a AND b OR c')).toEqual(['without a AND b OR c'])
  })

  it('finds those of subqueries and of both sides of a UNION', () => {
    expect(
      wordsOf('condition', 'SELECT 1 FROM (SELECT 2 FROM t WHERE a) WHERE b UNION SELECT 3 FROM u WHERE c'),
    ).toEqual(['without a', 'without b', 'without c'])
  })
})
