import { describe, expect, it } from 'vitest'
import { compareResults } from '../../../src/compare/results/compare-results.js'
import type { ResultSet, Value } from '../../../src/engine/contract/engine.js'

const defaults = { order: 'unordered', tolerance: 1e-4, columns: 'auto' } as const

function table(rows: readonly (readonly Value[])[]): ResultSet {
  const width = rows[0]?.length ?? 0
  return {
    columns: Array.from({ length: width }, (_, at) => ({ name: `c${at}`, type: '' })),
    rows,
    cut: null,
  }
}

/** Rows of numbers that are all near many others, and the same with noise in another order: a whole matching exists. */
function crowd(count: number, width: number): readonly [number[][], number[][]] {
  let state = 7
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const rows = Array.from({ length: count }, () =>
    Array.from({ length: width }, (_, at) => 1.5 + at + random() * 1e-3),
  )
  const noisy = rows.map((row) => row.map((value) => value * (1 + (random() - 0.5) * 1.6e-4)))
  const order = noisy.map((row) => ({ row, key: random() })).sort((a, b) => a.key - b.key)
  return [rows, order.map(({ row }) => row)]
}

describe('rows that are near many others', () => {
  it.each([
    [10_000, 3],
    [10_000, 2],
    [3000, 6],
  ])('are matched one to one: %d of %d columns', (count, width) => {
    const [rows, noisy] = crowd(count, width)
    expect(compareResults(table(rows), table(noisy), defaults).match).toBe(true)
  })

  it('are matched except for one that has no partner', () => {
    const [rows, noisy] = crowd(5000, 3)
    const found = compareResults(table(rows), table([...noisy.slice(1), [1.5, 2.5, 3.6]]), defaults)
    expect(found.differing).toBe(1)
    expect(found.untried).toBeUndefined()
  })

  it('may be integers, which are near no other integer', () => {
    const rows = Array.from({ length: 50_000 }, (_, at): Value[] => [1_000_000 + at, 0.5])
    const noisy = rows.map(([number = null], at): Value[] => [number, 0.5 + (at % 3) * 1e-6]).reverse()
    expect(compareResults(table(rows), table([...noisy.slice(1), [0.5, 0.5]]), defaults).differing).toBe(1)
  })

  it('may be true beside numbers near 1, which it is not near', () => {
    const found = compareResults(table([[true], [1.00005]]), table([[0.99996], [1]]), defaults)
    expect(found.match).toBe(true)
  })
})
