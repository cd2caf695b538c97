import { describe, expect, it } from 'vitest'
import { repair, warehouseForTests } from '../../domains/sql/repair/repair-in-memory.js'
import {
  caseOf,
  revenueId,
  revenueSql,
  revenueTh,
  shopWith,
  taxId,
  taxVn,
} from '../../domains/sql/repair/shop.js'

const warehouse = warehouseForTests()

const revenue = 'kb/snippets/revenue.sql'
const tax = 'kb/snippets/tax.sql'
const noStatus = shopWith({ [revenue]: ["  AND status = 'paid'\n", ''] })

describe('an obstacle to writing a file', () => {
  it('leaves a cause whose file may not be written to a person, tries no other plan, and goes on', async () => {
    const files = shopWith({
      [revenue]: ["  AND status = 'paid'\n", ''],
      [tax]: ["  AND status = 'paid'\n", ''],
    })
    const obstacleTo = async ({ path }: { path: string }) =>
      path === revenue ? `${path} is mine` : undefined
    const cases = [revenueId, revenueTh, taxId, taxVn]
    const { result, attempts, text } = await repair(warehouse, files, cases, { writeObstacle: obstacleTo })
    expect(attempts).toMatchObject([{ outcome: 'accepted', cases: ['tax_id', 'tax_vn'] }])
    expect(text(revenue)).toBe(files[revenue])
    expect(result.findings.get('revenue_id')).toMatchObject({
      label: 'wrong_definition',
      cause: expect.stringMatching(/; not repaired: kb\/snippets\/revenue\.sql is mine$/),
    })
  })

  it('does not suspect an oracle because a file may not be written', async () => {
    // On that day nothing was cancelled: the sum is the same with the filter and without.
    const day = revenueSql('ID', '2024-12-02', '2024-12-02')
    const passing = caseOf('day', 'ID revenue on 2 December 2024', day, { compare: { policy: 'results' } })
    const { result, baseline } = await repair(warehouse, noStatus, [revenueId, passing], {
      writeObstacle: async () => 'it is mine',
    })
    expect(baseline.get('day')?.evaluation.score.verdict).toBe('pass')
    expect(result.findings.get('revenue_id')?.label).toBe('wrong_definition')
  })
})
