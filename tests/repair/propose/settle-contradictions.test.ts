import { describe, expect, it } from 'vitest'
import { repair, warehouseForTests } from '../../domains/sql/repair/repair-in-memory.js'
import { caseOf, revenueId, revenueSql, shopWith } from '../../domains/sql/repair/shop.js'

const warehouse = warehouseForTests()
const snippet = 'kb/snippets/revenue.sql'
const unpaid = shopWith({ [snippet]: ["  AND status = 'paid'\n", ''] })

/** The same month in words that no snippet has. */
const inStyle = (month: string, status = 'paid'): string =>
  `SELECT sum(amount) AS revenue FROM sales WHERE market = 'TH' AND strftime('%Y-%m', day) = '${month}' AND status = '${status}' AND is_test = 0`

const august = caseOf('august', 'turnover of Thailand in August 2025', inStyle('2025-08'), {
  compare: { policy: 'results' },
})

describe('cases whose expected answers are written in two ways', () => {
  it('do not contradict each other where one definition gives the results of both', async () => {
    const { result, attempts, text } = await repair(warehouse, unpaid, [revenueId, august])
    expect([...result.findings.values()].map(({ label }) => label)).not.toContain('suspect_oracle')
    expect(attempts.at(-1)).toMatchObject({ outcome: 'accepted' })
    expect(text(snippet)).toContain("status = 'paid'")
  })

  it('do where none does', async () => {
    const other = caseOf(
      'other',
      'turnover of Thailand in August 2025',
      revenueSql('TH', '2025-08-01', '2025-08-31').replace('paid', 'cancelled'),
    )
    const paid = caseOf('paid', 'TH revenue in August 2025', revenueSql('TH', '2025-08-01', '2025-08-31'))
    const { result } = await repair(warehouse, unpaid, [paid, other])
    expect([...result.findings.values()].map(({ label }) => label)).toContain('suspect_oracle')
  })
})
