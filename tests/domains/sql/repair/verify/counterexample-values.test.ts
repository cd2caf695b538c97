import { describe, expect, it } from 'vitest'
import type { Edit } from '../../../../../src/edit/edit-types.js'
import { repair, warehouseForTests } from '../repair-in-memory.js'
import { scripted } from '../scripted-proposer.js'
import { revenueId, revenueTh, shopWith, taxId } from '../shop.js'

const warehouse = warehouseForTests()

const revenue = 'kb/snippets/revenue.sql'
const cases = [revenueId, revenueTh].map((each) => ({ ...each, compare: { policy: 'results' as const } }))
const last = '(SELECT max(market) FROM sales)'

async function repairWith(drift: readonly [string, string], edits: readonly Edit[]) {
  const { attempts, result } = await repair(warehouse, shopWith({ [revenue]: drift }), [...cases, taxId], {
    rules: false,
    maxRetries: 1,
    proposer: scripted(() => edits),
  })
  return { attempts, cause: result.findings.get(revenueId.id)?.cause }
}

describe('findCounterexampleValue', () => {
  it('refuses a query that is another one for a market that no twin asks about', async () => {
    const { attempts, cause } = await repairWith(
      ['sum(amount) AS revenue', 'sum(tax) AS revenue'],
      [
        {
          kind: 'edit_snippet',
          path: revenue,
          search: 'sum(tax)',
          replace: `sum(CASE WHEN market = ${last} THEN tax ELSE amount END)`,
        },
      ],
    )
    expect(attempts).toMatchObject([{ outcome: 'rejected' }])
    expect(cause).toContain('for another market ("VN revenue in November 2025")')
  })

  it('accepts a query that is written differently and is the same for every market and month', async () => {
    const { attempts } = await repairWith(
      ["  AND status = 'paid'\n", ''],
      [
        {
          kind: 'edit_snippet',
          path: revenue,
          search: 'sum(amount)',
          replace: "sum(amount * (status = 'paid'))",
        },
      ],
    )
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E1' }])
  })
})
