import { describe, expect, it } from 'vitest'
import { sqlOf, wordsOf } from '../made-mutants.js'

describe('aggregates', () => {
  it('takes each other one, but not for count(*)', () => {
    expect(wordsOf('aggregate', 'SELECT sum(x), count(*) FROM t')).toEqual([
      'avg instead of sum',
      'count instead of sum',
      'min instead of sum',
      'max instead of sum',
    ])
  })

  it('adds and takes DISTINCT where it can matter', () => {
    expect(sqlOf('distinct', 'SELECT count(DISTINCT x), sum(y), max(z) FROM t')).toEqual([
      'SELECT count(x), sum(y), max(z) FROM t',
      'SELECT count(DISTINCT x), sum(DISTINCT y), max(z) FROM t',
    ])
  })
})
