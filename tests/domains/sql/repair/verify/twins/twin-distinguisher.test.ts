import { describe, expect, it } from 'vitest'
import {
  createDistinguisher,
  isRefutedByNothing,
} from '../../../../../../src/domains/sql/repair/verify/twins/twin-distinguisher.js'
import { limits, warehouseForTests } from '../../repair-in-memory.js'
import { caseOf, revenueId, revenueSql, revenueTh } from '../../shop.js'

const warehouse = warehouseForTests()

function distinguisher(engine = true) {
  return createDistinguisher({
    engineOf: () => Promise.resolve(engine ? warehouse.engine : undefined),
    dialectOf: () => 'sqlite',
    limits,
  })
}

describe('isRefutedByNothing', () => {
  const copy = { index: 5, seed: 1, title: 'boundary values' }
  const mismatch = (expected: number | null, actual: number) => ({
    kind: 'mismatch' as const,
    copy,
    comparison: {
      ...{ match: false, expectedRows: 1, actualRows: 1, columns: ['n'], differing: 1 },
      differences: [{ kind: 'changed' as const, expected: [expected], actual: [actual], cells: [0] }],
    },
  })

  it('is so where a copy expects nothing but NULL', () => {
    expect(isRefutedByNothing(mismatch(null, 0))).toBe(true)
  })

  it('is not so for a value, for a missing row, or on the database itself', () => {
    expect(isRefutedByNothing(mismatch(3, 0))).toBe(false)
    expect(isRefutedByNothing({ ...mismatch(null, 0), copy: undefined })).toBe(false)
    const { comparison } = mismatch(null, 0)
    const missing = { ...comparison, differences: [{ kind: 'missing' as const, row: [null] }] }
    expect(isRefutedByNothing({ kind: 'mismatch', copy, comparison: missing })).toBe(false)
  })
})

describe('createDistinguisher', () => {
  it('accepts a twin whose rows differ from those of the original', async () => {
    expect(await distinguisher()(revenueTh, revenueId)).toBe(true)
  })

  it('refuses a twin whose query has no rows: any wrong repair gives that', async () => {
    const nothing = caseOf('bn', 'BN revenue', revenueSql('BN', '2025-11-01', '2025-11-30'))
    expect(await distinguisher()(nothing, revenueId)).toBe(false)
    const rows = caseOf('rows', 'BN', "SELECT market FROM sales WHERE market = 'BN'")
    expect(await distinguisher()(rows, revenueId)).toBe(false)
  })

  it('refuses a twin that expects what the original does: ignoring the value passes it', async () => {
    expect(await distinguisher()({ ...revenueId, id: 'twin' }, revenueId)).toBe(false)
  })

  it('refuses a twin whose query fails or is cut', async () => {
    expect(await distinguisher()(caseOf('bad', 'x', 'SELECT nothing FROM nowhere'), revenueId)).toBe(false)
    expect(await distinguisher()(caseOf('all', 'x', 'SELECT * FROM sales'), revenueId)).toBe(false)
  })

  it('refuses every twin without an engine', async () => {
    expect(await distinguisher(false)(revenueTh, revenueId)).toBe(false)
  })
})
