import { describe, expect, it } from 'vitest'
import { date, matches, other, result } from '../results/small-results.js'

describe('rows', () => {
  it('count as often as they are there', () => {
    expect(matches(result('a', [1], [1], [2]), result('a', [1], [2], [2]))).toBe(false)
    expect(matches(result('a', [1], [1], [2]), result('a', [2], [1], [1]))).toBe(true)
  })

  it('match as pairs even where every sorting fails: tolerance is not transitive', () => {
    // 1.0001 is near 1.0 only, and 0.9999 too: pairing the equal ones first would leave these two apart.
    expect(matches(result('a', [1.00005], [1.00014]), result('a', [0.99996], [1.00005]))).toBe(true)
  })

  it('match as pairs where both cells of a row need a partner', () => {
    const expected = result('a,b', [1.00001, 5.5], [1.00002, 7.5])
    expect(matches(expected, result('a,b', [1.00003, 7.5], [1.00001, 5.5]))).toBe(true)
    expect(matches(expected, result('a,b', [1.00003, 7.5], [1.00001, 7.5]))).toBe(false)
  })

  it('match as pairs where a day stands among texts: two texts that it matches are not one', () => {
    const expected = result('a:ANY', [date('2024-01-01')], ['2024-01-01 00:00:00'])
    expect(matches(expected, result('a:ANY', ['2024-01-01 00:00:00'], ['2024-01-01']))).toBe(true)
    expect(matches(expected, result('a:ANY', ['2024-01-01'], ['2024-01-01']))).toBe(false)
  })

  it('match as pairs where true stands among numbers: it matches 1 and nothing near it', () => {
    expect(matches(result('a', [true], [1]), result('a', [0.99999], [true]))).toBe(true)
    expect(matches(result('a', [true], [1]), result('a', [0.99999], [1.00001]))).toBe(false)
  })

  it('match as pairs where lists of numbers are near one another', () => {
    const list = (...numbers: number[]) => other('DOUBLE[]', `[${numbers.join(', ')}]`)
    const expected = result('a', [list(1.00005, 3.5)], [list(1.00014, 4.5)])
    expect(matches(expected, result('a', [list(1.00005, 4.5)], [list(0.99996, 3.5)]))).toBe(true)
    expect(matches(expected, result('a', [list(1.00005, 4.5)], [list(0.9, 3.5)]))).toBe(false)
  })

  it('keep integers exact in a column that has other numbers too', () => {
    expect(matches(result('a', [100_000], [0.5]), result('a', [100_001], [0.5]))).toBe(false)
    expect(matches(result('a', [100_000], [0.5]), result('a', [0.5], [100_000.5]))).toBe(true)
  })

  it('an empty result matches an empty one of as many columns', () => {
    expect(matches(result('a'), result('b'))).toBe(true)
    expect(matches(result('a'), result('a,b'))).toBe(false)
  })

  it('a cut result never matches', () => {
    expect(matches({ ...result('a', [1]), cut: 'rows' }, result('a', [1]))).toBe(false)
    expect(matches(result('a', [1]), { ...result('a', [1]), cut: 'bytes' })).toBe(false)
  })

  it('text with separators in it is not mistaken for two cells', () => {
    expect(matches(result('a,b', ['x2:sy', 'z']), result('a,b', ['x', '2:sy z']))).toBe(false)
    expect(matches(result('a,b', ['a\0', 'b'], ['c', 'd']), result('a,b', ['c', 'd'], ['a', '\0b']))).toBe(
      false,
    )
  })
})
