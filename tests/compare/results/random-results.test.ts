import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareResults } from '../../../src/compare/results/compare-results.js'
import type { Value } from '../../../src/engine/contract/engine.js'
import { date, decimal, defaults, matches, result } from './small-results.js'

/** One column of one row each. */
function cellsMatch(a: Value, b: Value, tolerance = 1e-4): boolean {
  const options = { ...defaults, tolerance }
  const there = compareResults(result('a', [a]), result('a', [b]), options).match
  expect(compareResults(result('a', [b]), result('a', [a]), options).match).toBe(there)
  return there
}

describe('for any results', () => {
  const cell: fc.Arbitrary<Value> = fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom<Value>(
      null,
      true,
      false,
      'x',
      '2024-01-01',
      date('2024-01-01'),
      decimal('1.00'),
      2n,
      Number.NaN,
    ),
    fc.double({ min: 0.999, max: 1.001, noNaN: true }),
  )
  const results = fc.integer({ min: 1, max: 3 }).chain((width) =>
    fc.record({
      width: fc.constant(width),
      rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 7 }),
      others: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 7 }),
      seed: fc.nat(),
    }),
  )
  const names = (letter: string, width: number) =>
    Array.from({ length: width }, (_, i) => `${letter}${i}`).join(',')

  /** A shuffle that depends on the seed alone. */
  function shuffled<T>(items: readonly T[], seed: number): T[] {
    return items
      .map((item, i) => ({ item, key: Math.imul(seed + i + 1, 0x9e3779b1) >>> 0 }))
      .sort((a, b) => a.key - b.key)
      .map(({ item }) => item)
  }

  it('each matches itself, with its rows and columns shuffled', () => {
    fc.assert(
      fc.property(results, ({ width, rows, seed }) => {
        const itself = result(names('a', width), ...rows)
        expect(matches(itself, itself, { order: 'ordered' })).toBe(true)
        const columns = shuffled([...Array(width).keys()], seed)
        const moved = shuffled(rows, seed).map((row) => columns.map((column) => row[column] ?? null))
        expect(matches(itself, result(names('b', width), ...moved))).toBe(true)
        expect(matches(itself, result(columns.map((column) => `a${column}`).join(','), ...moved))).toBe(true)
      }),
    )
  })

  it('the comparison is symmetric, and as many rows differ from either side', () => {
    fc.assert(
      fc.property(results, ({ width, rows, others }) => {
        const [a, b] = [result(names('a', width), ...rows), result(names('a', width), ...others)]
        const [there, back] = [compareResults(a, b, defaults), compareResults(b, a, defaults)]
        expect([back.match, back.differing]).toEqual([there.match, there.differing])
      }),
    )
  })

  it('rows match exactly where some one-to-one pairing does', () => {
    fc.assert(
      fc.property(results, ({ width, rows, others }) => {
        const pairs = rows.map((row) =>
          others.map((other) => row.every((value, i) => cellsMatch(value, other[i] ?? null))),
        )
        const pairing = (at: number, used: readonly number[]): boolean =>
          at === rows.length ||
          others.some((_, i) => pairs[at]?.[i] === true && !used.includes(i) && pairing(at + 1, [...used, i]))
        const expected = rows.length === others.length && pairing(0, [])
        expect(matches(result(names('a', width), ...rows), result(names('a', width), ...others))).toBe(
          expected,
        )
      }),
      { numRuns: 150 },
    )
  })

  it('noise within the tolerance changes nothing, noise beyond it always does', () => {
    const numbers = fc.array(fc.double({ min: 1.0001, max: 1e6, noNaN: true }), {
      minLength: 1,
      maxLength: 50,
    })
    fc.assert(
      fc.property(numbers, fc.nat(), (values, seed) => {
        const rows = values.map((value) => [Number.isInteger(value) ? value + 0.5 : value])
        const noisy = shuffled(rows, seed).map(([value = 0], i) => [
          value * (i % 2 === 0 ? 1 + 4e-5 : 1 - 4e-5),
        ])
        expect(matches(result('a', ...rows), result('a', ...noisy))).toBe(true)
        const [first, ...rest] = rows
        expect(matches(result('a', ...rows), result('a', [(first?.[0] ?? 0) * -1], ...rest))).toBe(false)
      }),
    )
  })
})
