import { describe, expect, it } from 'vitest'
import { compareResults } from '../../../src/compare/results/compare-results.js'
import type { ResultSet, Value } from '../../../src/engine/contract/engine.js'

const defaults = { order: 'unordered', tolerance: 1e-4, columns: 'auto' } as const

function table(letter: string, rows: readonly (readonly Value[])[]): ResultSet {
  const width = rows[0]?.length ?? 0
  return {
    columns: Array.from({ length: width }, (_, at) => ({ name: `${letter}${at}`, type: '' })),
    rows,
    cut: null,
  }
}

/** Numbers from 0 up to 1, the same from run to run. */
function randomNumbers(seed = 7): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)
}

function transposed(columns: readonly (readonly Value[])[]): Value[][] {
  return (columns[0] ?? []).map((_, row) => columns.map((column) => column[row] ?? null))
}

describe('columns paired by their values', () => {
  it.each([301, 2000])('are found where two of %d changed places', (width) => {
    const rows = ['', 'b'].map((end) => Array.from({ length: width }, (_, at) => `v${at}${end}`))
    const swapped = rows.map((row) => [row.at(-1) ?? '', ...row.slice(1, -1), row[0] ?? ''])
    expect(compareResults(table('c', rows), table('d', swapped), defaults).match).toBe(true)
  })

  it('are found where all hold the same values in other orders', () => {
    const random = randomNumbers()
    const columns = Array.from({ length: 30 }, () => shuffled([...Array(50).keys()], random))
    const turned = shuffled(transposed(columns.toReversed()), random)
    expect(compareResults(table('c', transposed(columns)), table('d', turned), defaults).match).toBe(true)
    const [first = [], ...others] = turned
    const spoilt = [[...first.slice(1), first[0] ?? null], ...others]
    const found = compareResults(table('c', transposed(columns)), table('d', spoilt), defaults)
    expect(found.match).toBe(false)
    expect(found.untried).toBeUndefined()
  })

  it('are found where rows and columns can be distinguished only together', () => {
    // A ring: row r holds 1 in columns r and r + 1. All rows are alike, and so are all columns.
    const size = 24
    const ring = Array.from({ length: size }, (_, row) =>
      Array.from({ length: size }, (_, at) => (at === row || at === (row + 1) % size ? 1 : 0)),
    )
    const order = shuffled([...Array(size).keys()], randomNumbers(3))
    const moved = shuffled(ring, randomNumbers(5)).map((row) => order.map((at) => row[at] ?? 0))
    expect(compareResults(table('c', ring), table('d', moved), defaults).match).toBe(true)
  })

  it('are not found where two cycles of columns correspond to one', () => {
    const ringOf = (size: number, start: number, width: number) =>
      Array.from({ length: size }, (_, row) =>
        Array.from({ length: width }, (_, at) =>
          at === start + row || at === start + ((row + 1) % size) ? 1 : 0,
        ),
      )
    const two = [...ringOf(4, 0, 8), ...ringOf(4, 4, 8)]
    expect(compareResults(table('c', ringOf(8, 0, 8)), table('d', two), defaults).match).toBe(false)
  })

  it('are found among hundreds of columns of numbers with noise', () => {
    const random = randomNumbers()
    const rows = Array.from({ length: 4 }, () => Array.from({ length: 350 }, () => 1 + 1000 * random()))
    const noisy = rows.map((row) => row.toReversed().map((value) => value * (1 + 1e-6)))
    expect(compareResults(table('c', rows), table('d', noisy), defaults).match).toBe(true)
  })

  it('reports that there are too many columns to try', () => {
    // Each column holds nearly the same numbers, in an order of its own, and one cell has no partner.
    const random = randomNumbers()
    const noisy = (value: Value): Value => Number(value) * (1 + 1e-6 * (random() - 0.5))
    const columns = Array.from({ length: 40 }, () =>
      shuffled(
        Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? 1.5 : 2.5)),
        random,
      ),
    )
    const rows = transposed(columns)
    const actual = rows.map((row) => row.toReversed().map(noisy))
    const spoilt = actual.map((row, at) => (at === 7 ? row.with(3, 2) : row))
    const found = compareResults(table('c', rows), table('d', spoilt), defaults)
    expect(found.match).toBe(false)
    if (found.untried !== undefined) expect(found.untried).toBe('not every way to pair the columns was tried')
  })
})
