import { describe, expect, it } from 'vitest'
import { rowsPerTable } from '../../../src/engine/fuzz/sample-size.js'

describe('the rows taken of each table', () => {
  const limits = { rows: 15_000, cells: 100_000 }

  it('are all that there may be, where these fit', () => {
    expect(rowsPerTable([{ rows: 9000, columns: 10 }], limits)).toBe(15_000)
    expect(rowsPerTable([], limits)).toBe(15_000)
  })

  it('are as many as fit of all tables, the small ones whole', () => {
    const rows = rowsPerTable(
      [
        { rows: 100, columns: 10 },
        { rows: 1e9, columns: 10 },
        { rows: 1e9, columns: 1 },
      ],
      limits,
    )
    expect(rows).toBe(Math.floor((100_000 - 1000) / 11))
  })

  it('are some of each, however many tables there are', () => {
    const many = Array.from({ length: 5000 }, () => ({ rows: 1e6, columns: 50 }))
    expect(rowsPerTable(many, limits)).toBe(200)
  })
})
