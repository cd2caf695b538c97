import { describe, expect, it } from 'vitest'
import { compareResults } from '../../../src/compare/results/compare-results.js'
import type { Value } from '../../../src/engine/contract/engine.js'
import { defaults, result } from './small-results.js'

describe('differences', () => {
  it('name the changed row with the cells that differ, in the expected column order', () => {
    const found = compareResults(
      result('period,dau', ['2025-11', 474.97]),
      result('dau,period', [949.93, '2025-11']),
      defaults,
    )
    expect(found).toEqual({
      match: false,
      expectedRows: 1,
      actualRows: 1,
      columns: ['period', 'dau'],
      differing: 1,
      differences: [
        { kind: 'changed', expected: ['2025-11', 474.97], actual: ['2025-11', 949.93], cells: [1] },
      ],
    })
  })

  it('pair the rows that share most cells', () => {
    const found = compareResults(
      result('a,b,c', ['x', 1, 1], ['y', 2, 2]),
      result('a,b,c', ['y', 2, 3], ['x', 1, 4]),
      defaults,
    )
    expect(found.differences).toEqual([
      { kind: 'changed', expected: ['x', 1, 1], actual: ['x', 1, 4], cells: [2] },
      { kind: 'changed', expected: ['y', 2, 2], actual: ['y', 2, 3], cells: [2] },
    ])
  })

  it('name missing and extra rows that nothing is like', () => {
    const found = compareResults(
      result('a,b,c', ['x', 1, 1], ['y', 2, 2]),
      result('a,b,c', ['x', 1, 1], ['z', 8, 9], ['w', 7, 7]),
      defaults,
    )
    expect(found.differing).toBe(2)
    expect(found.differences).toEqual([
      { kind: 'missing', row: ['y', 2, 2] },
      { kind: 'extra', row: ['z', 8, 9] },
      { kind: 'extra', row: ['w', 7, 7] },
    ])
  })

  it('are all counted, and at most twenty are listed', () => {
    const numbers = (from: number) => Array.from({ length: 500 }, (_, i): Value[] => [from + i])
    const found = compareResults(result('a', ...numbers(0)), result('a', ...numbers(1000)), defaults)
    expect([found.differing, found.differences.length]).toEqual([500, 20])
    expect(new Set(found.differences.map(({ kind }) => kind))).toEqual(new Set(['missing', 'extra']))
  })
})
