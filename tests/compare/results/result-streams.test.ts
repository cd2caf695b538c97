import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type CompareOptions,
  compareResults,
  compareStreams,
} from '../../../src/compare/results/compare-results.js'
import type { Column, Value } from '../../../src/engine/contract/engine.js'

const defaults: CompareOptions = { order: 'unordered', tolerance: 1e-4, columns: 'auto' }

function columnsOf(width: number, letter = 'c'): Column[] {
  return Array.from({ length: width }, (_, at) => ({ name: `${letter}${at}`, type: '' }))
}

async function* slowly(rows: readonly Value[][]): AsyncGenerator<Value[]> {
  for (const row of rows) {
    await Promise.resolve()
    yield row
  }
}

describe('streams', () => {
  const cell: fc.Arbitrary<Value> = fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom<Value>(
      null,
      true,
      'x',
      '2024-01-01',
      { kind: 'date', text: '2024-01-01' },
      2n ** 70n,
      Number.NaN,
    ),
    fc.constantFrom<Value>({ kind: 'decimal', text: '1.50' }, { kind: 'other', type: 'BLOB', text: '00' }),
    fc.double({ min: 0.999, max: 1.001, noNaN: true }),
  )
  const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { maxLength: 8 })
  const order = fc.constantFrom<CompareOptions['order']>('ordered', 'unordered')

  it('are compared as results at hand are', async () => {
    await fc.assert(
      fc.asyncProperty(rows, rows, order, async (left, right, asked) => {
        const columns = columnsOf(2)
        const options = { ...defaults, order: asked, orderColumns: [0] }
        const whole = compareResults(
          { columns, rows: left, cut: null },
          { columns, rows: right, cut: null },
          options,
        )
        const streamed = await compareStreams(
          { columns, rows: slowly(left) },
          { columns, rows: right },
          options,
        )
        expect({ ...streamed, differences: streamed.differences.map(({ kind }) => kind) }).toEqual({
          ...whole,
          differences: whole.differences.map(({ kind }) => kind),
        })
      }),
    )
  })

  it('give back the cells of rows that differ, in the expected column order', async () => {
    const day: Value = { kind: 'date', text: '2024-01-01' }
    const found = await compareStreams(
      { columns: columnsOf(6), rows: [[1, true, 'a', day, 2n ** 70n, null]] },
      { columns: columnsOf(6).reverse(), rows: [[null, 2n ** 70n, day, 'a', true, 1.25]] },
      defaults,
    )
    expect(found.differences).toEqual([
      {
        kind: 'changed',
        expected: [1, true, 'a', day, 2n ** 70n, null],
        actual: [1.25, true, 'a', day, 2n ** 70n, null],
        cells: [0],
      },
    ])
  })

  it('that were cut never match, which is known when they end', async () => {
    const stream = {
      columns: columnsOf(1),
      cut: null as 'rows' | null,
      *rows(): Generator<Value[]> {
        yield [1]
        stream.cut = 'rows'
      },
    }
    const expected = {
      columns: stream.columns,
      rows: stream.rows(),
      get cut() {
        return stream.cut
      },
    }
    expect((await compareStreams(expected, { columns: columnsOf(1), rows: [[1]] }, defaults)).match).toBe(
      false,
    )
  })

  it('whose columns do not pair up are read for their length only', async () => {
    const found = await compareStreams(
      { columns: columnsOf(1), rows: [[1], [2]] },
      { columns: columnsOf(2), rows: slowly([[1, 2]]) },
      defaults,
    )
    expect(found).toMatchObject({ match: false, expectedRows: 2, actualRows: 1, differing: 2 })
  })
})

describe('many rows', () => {
  const count = 30_000
  function* made(step: number, noise: number): Generator<Value[]> {
    for (let at = 0; at < count; at++) {
      const id = (at * step) % count
      const shift = 1 + noise * ((id % 5) - 2)
      yield [id, `name ${id % 50}`, { kind: 'date', text: '2025-01-01' }, (id * 0.37 + 0.1) * shift, id % 7]
    }
  }

  it.each([0, 1e-5])('shuffled with noise of %d match', async (noise) => {
    const columns = columnsOf(5)
    const found = await compareStreams(
      { columns, rows: made(1, 0) },
      { columns, rows: made(7919, noise) },
      defaults,
    )
    expect(found.match).toBe(true)
  })

  it('that are all near to all in several columns are matched except for the one that is not', () => {
    const crowd = (shift: number) =>
      Array.from({ length: 2000 }, (_, at): Value[] => [1 + shift + at * 1e-9, 2 + shift + (at % 61) * 1e-8])
    const [left, right] = [crowd(0), crowd(1e-6).reverse()]
    const columns = columnsOf(2)
    expect(
      compareResults({ columns, rows: left, cut: null }, { columns, rows: right, cut: null }, defaults).match,
    ).toBe(true)
    const spoilt = [...right.slice(1), [1, 2.5]]
    expect(
      compareResults({ columns, rows: left, cut: null }, { columns, rows: spoilt, cut: null }, defaults)
        .differing,
    ).toBe(1)
  })

  it('of one column are paired in order, where there are no integers', () => {
    const values = Array.from({ length: 20_000 }, (_, at): Value[] => [10.5 + at * 1e-6])
    const columns = columnsOf(1)
    const shifted = values.map(([value]): Value[] => [Number(value) * (1 + 5e-5)]).reverse()
    expect(
      compareResults({ columns, rows: values, cut: null }, { columns, rows: shifted, cut: null }, defaults)
        .match,
    ).toBe(true)
  })

  it('distinguish large integers among numbers that are near them', () => {
    const columns = columnsOf(1)
    const compare = (left: Value[], right: Value[]) =>
      compareResults(
        { columns, rows: left.map((value) => [value]), cut: null },
        { columns, rows: right.map((value) => [value]), cut: null },
        defaults,
      ).differing
    // 100001 can only have 100000.5, so that 100000 is left with 100002.
    expect(compare([100_000, 100_001, 0.5], [100_000.5, 100_002, 0.5])).toBe(1)
    expect(compare([100_000, 100_001, 0.5], [100_000.5, 100_001, 0.5])).toBe(0)
  })
})

describe('unusual shapes', () => {
  const wide = (width: number, last: Value, letter = 'c') => ({
    columns: columnsOf(width, letter),
    rows: [Array.from({ length: width }, (_, at): Value => (at === width - 1 ? last : at))],
    cut: null,
  })

  it('ten thousand columns are compared quickly, whatever their names', () => {
    expect(compareResults(wide(10_000, 1), wide(10_000, 1, 'd'), defaults).match).toBe(true)
    const changed = compareResults(wide(10_000, 1), wide(10_000, 2, 'd'), defaults)
    expect(changed.differences).toMatchObject([{ kind: 'changed', cells: [9999] }])
    const fewer = compareResults(wide(10_000, 1), wide(4, 2, 'd'), defaults)
    expect(JSON.stringify(fewer.differences).length).toBeLessThan(400)
  })

  it('no columns at all match by their number of rows', () => {
    const none = (rows: number) => ({ columns: [], rows: Array.from({ length: rows }, () => []), cut: null })
    expect(compareResults(none(2), none(2), defaults).match).toBe(true)
    expect(compareResults(none(2), none(3), defaults)).toMatchObject({ match: false, differing: 1 })
  })
})
