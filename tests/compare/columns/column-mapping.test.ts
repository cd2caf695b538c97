import { describe, expect, it } from 'vitest'
import { compareResults } from '../../../src/compare/results/compare-results.js'
import type { ResultSet } from '../../../src/engine/contract/engine.js'
import { defaults, matches, result } from '../results/small-results.js'

describe('columns', () => {
  it('go by name where the names are the same set, whatever their case and order', () => {
    expect(matches(result('a,B', [1, 'x']), result('b,A', ['x', 1]))).toBe(true)
  })

  it('with equal names get no second chance by position', () => {
    expect(matches(result('a,b', [1, 2]), result('b,a', [1, 2]))).toBe(false)
  })

  it('go by position, then by values, where names differ', () => {
    expect(matches(result('a,n', ['x', 2]), result('z,count', ['x', 2]))).toBe(true)
    expect(matches(result('a,n', ['x', 2], ['y', 1]), result('count,z', [1, 'y'], [2, 'x']))).toBe(true)
  })

  it('by values are each a different one', () => {
    expect(matches(result('a,b', [1, 1], [2, 2]), result('a,c', [1, 9], [2, 8]))).toBe(false)
    expect(matches(result('a,b', [1, 1], [2, 2]), result('c,d', [1, 9], [2, 8]))).toBe(false)
  })

  it('by values must agree row by row, not column by column', () => {
    expect(matches(result('a,b', [1, 10], [2, 20]), result('c,d', [20, 1], [10, 2]))).toBe(false)
    expect(matches(result('a,b', [1, 10], [2, 20]), result('c,d', [10, 1], [20, 2]))).toBe(true)
  })

  it('by values are assigned globally: the first that fits may be needed by another', () => {
    const expected = result('a,b,c', [1.00005, 1.0001, 7], [3, 3, 8])
    const actual = result('x,y,z', [7, 1.00015, 1], [8, 3, 3])
    expect(matches(expected, actual)).toBe(true)
  })

  it('by values keep the order of rows where it counts', () => {
    const expected = result('a,b', [1, 'x'], [2, 'y'])
    expect(matches(expected, result('q,p', ['x', 1], ['y', 2]), { order: 'ordered' })).toBe(true)
    expect(matches(expected, result('q,p', ['y', 2], ['x', 1]), { order: 'ordered' })).toBe(false)
  })

  it('names that occur twice leave it to position', () => {
    expect(matches(result('a,a', [1, 2]), result('a,a', [1, 2]))).toBe(true)
    expect(matches(result('a,a', [1, 2]), result('a,a', [2, 1]), { columns: 'position' })).toBe(false)
  })

  it('names that occur twice on one side only are not both met by one column', () => {
    expect(matches(result('a,a', [1, 1]), result('a', [1]))).toBe(false)
    expect(matches(result('a', [1]), result('a,a', [1, 1]))).toBe(false)
  })

  it.each<[string, ResultSet, ResultSet, string]>([
    ['an extra one', result('a', [1]), result('A,n', [1, 2]), 'column extra: n'],
    ['a missing one', result('a,n', [1, 2]), result('a', [1]), 'column missing: n'],
    ['another number', result('a,b', [1, 2]), result('c', [1]), '1 columns (c) instead of 2 (a, b)'],
  ])('%s is a mismatch that says so', (_name, expected, actual, text) => {
    expect(compareResults(expected, actual, defaults)).toMatchObject({
      match: false,
      differences: [{ kind: 'columns', text }],
    })
  })

  it('follow the mode a case asks for', () => {
    const [expected, actual] = [result('a,b', [1, 2]), result('b,a', [1, 2])]
    expect(matches(expected, actual, { columns: 'position' })).toBe(true)
    expect(matches(expected, actual, { columns: 'values' })).toBe(true)
    expect(matches(expected, actual, { columns: 'name' })).toBe(false)
    expect(matches(expected, result('x,y', [1, 2]), { columns: 'name' })).toBe(false)
    expect(matches(expected, result('x,y', [2, 1]), { columns: 'position' })).toBe(false)
    expect(matches(expected, result('x,y', [2, 1]), { columns: 'values' })).toBe(true)
  })

  it('with many duplicates are assigned', () => {
    const names = (letter: string) => Array.from({ length: 12 }, (_, i) => `${letter}${i}`).join(',')
    const rows = Array.from({ length: 200 }, (_, r) =>
      Array.from({ length: 12 }, (_, c) => (r * (c === 11 ? 7 : 1)) % 5),
    )
    const reversed = rows.map((row) => [...row].reverse())
    expect(matches(result(names('a'), ...rows), result(names('b'), ...reversed))).toBe(true)
  })
})
