import { describe, expect, it } from 'vitest'
import { wordsOf } from '../made-mutants.js'

describe('bounds', () => {
  it('takes their end in or leaves it out', () => {
    expect(wordsOf('bound', "SELECT 1 FROM t WHERE a < 3 AND lower(b) >= 'x'")).toEqual([
      'a <= 3 instead of <',
      "lower(b) > 'x' instead of >=",
    ])
  })

  it('moves by a day, a month, a minute or the last digit', () => {
    expect(wordsOf('step', "SELECT 1 FROM t WHERE d BETWEEN DATE '2025-02-28' AND '2025-12-31'")).toEqual([
      "'2025-03-01' instead of '2025-02-28'",
      "'2025-02-27' instead of '2025-02-28'",
      "'2026-01-01' instead of '2025-12-31'",
      "'2025-12-30' instead of '2025-12-31'",
    ])
    expect(
      wordsOf('step', "SELECT 1 FROM t WHERE m >= '2025-12' AND at < '2025-12-31 23:59' AND x > 0.05"),
    ).toEqual([
      "'2026-01' instead of '2025-12'",
      "'2025-11' instead of '2025-12'",
      "'2026-01-01 00:00' instead of '2025-12-31 23:59'",
      "'2025-12-31 23:58' instead of '2025-12-31 23:59'",
      '0.06 instead of 0.05',
      '0.04 instead of 0.05',
    ])
  })

  it('moves no literal inside an expression', () => {
    expect(wordsOf('step', "SELECT 1 FROM t WHERE a + 1 > b * 2 AND c > 'x'")).toEqual([])
  })
})
