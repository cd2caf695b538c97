import { describe, expect, it } from 'vitest'
import { wordsOf } from '../made-mutants.js'

describe('literals', () => {
  const values = { market: ['ID', "O'TH", 'VN', 'SG'], amount: [1, 2.5] }

  it('become other values of the column, written as they are', () => {
    expect(
      wordsOf('literal', "SELECT 1 FROM shop.orders WHERE market = 'ID' AND amount <> 2.5", values),
    ).toEqual(["market 'O''TH' instead of 'ID'", "market 'VN' instead of 'ID'", 'amount 1 instead of 2.5'])
  })

  it('of an IN list become values that are not in it', () => {
    expect(wordsOf('literal', "SELECT 1 FROM shop.orders WHERE market NOT IN ('ID', 'VN')", values)).toEqual([
      "market 'O''TH' instead of 'ID'",
      "market 'SG' instead of 'ID'",
      "market 'O''TH' instead of 'VN'",
      "market 'SG' instead of 'VN'",
    ])
  })
})
