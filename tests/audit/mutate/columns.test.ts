import { describe, expect, it } from 'vitest'
import { sqlOf, wordsOf } from '../made-mutants.js'

describe('columns', () => {
  it('takes those of the same table and type, the most alike first, in each place and everywhere', () => {
    expect(wordsOf('column', 'SELECT market FROM shop.orders WHERE market IS NOT NULL')).toEqual([
      'note instead of market, place 1 of 2',
      'note instead of market, place 2 of 2',
      'note instead of market everywhere',
      'status instead of market, place 1 of 2',
      'status instead of market, place 2 of 2',
      'status instead of market everywhere',
    ])
    expect(wordsOf('column', 'SELECT amount FROM shop.orders')).toEqual([])
  })

  it('follows aliases and finds the table of a subquery before that of the query around it', () => {
    expect(sqlOf('column', 'SELECT r.market FROM shop.orders AS o JOIN shop.refunds r USING (day)')).toEqual([
      'SELECT r.reason FROM shop.orders AS o JOIN shop.refunds r USING (day)',
    ])
    expect(
      sqlOf('column', 'SELECT 1 FROM shop.orders WHERE EXISTS (SELECT 1 FROM shop.refunds WHERE market = 1)'),
    ).toEqual(['SELECT 1 FROM shop.orders WHERE EXISTS (SELECT 1 FROM shop.refunds WHERE reason = 1)'])
  })

  it('leaves tables, aliases, functions, names of outputs and tables of WITH alone', () => {
    expect(wordsOf('column', 'SELECT note(1) AS market FROM shop.orders market')).toEqual([])
    expect(wordsOf('column', 'WITH orders AS (SELECT 1 AS market) SELECT market FROM orders')).toEqual([])
  })
})
