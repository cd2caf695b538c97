import { describe, expect, it } from 'vitest'
import { RowCollector, toExactInteger } from '../../../src/engine/query/row-collector.js'

describe('collected rows', () => {
  const columns = [{ name: 'x', type: '' }]

  it('keep as many as the cap and say that there were more', () => {
    const rows = new RowCollector(columns, { rows: 1, bytes: 1000 })
    expect([rows.add([1]), rows.add([2])]).toEqual([true, false])
    expect(rows.result()).toEqual({ columns, rows: [[1]], cut: 'rows' })
  })

  it('count the text of every kind of cell', () => {
    const wide = [
      ['x'.repeat(200)],
      [{ kind: 'decimal', text: '1'.repeat(200) }],
      [{ kind: 'other', type: 'blob', text: '0'.repeat(200) }],
    ] as const
    const cuts = wide.map((row) => {
      const rows = new RowCollector(columns, { rows: 10, bytes: 100 })
      rows.add(row)
      return rows.result().cut
    })
    expect(cuts).toEqual(['bytes', 'bytes', 'bytes'])
  })
})

it('an integer is a number exactly as far as numbers are exact', () => {
  expect([
    toExactInteger(9007199254740991n),
    toExactInteger(9007199254740992n),
    toExactInteger(-9007199254740992n),
  ]).toEqual([9007199254740991, 9007199254740992n, -9007199254740992n])
})
