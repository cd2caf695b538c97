import { describe, expect, it } from 'vitest'
import type { Edit } from '../../../src/edit/edit-types.js'
import { repair, warehouseForTests } from '../../domains/sql/repair/repair-in-memory.js'
import { scripted } from '../../domains/sql/repair/scripted-proposer.js'
import { revenueId, revenueTh, shop, shopWith, taxId, taxVn } from '../../domains/sql/repair/shop.js'

const warehouse = warehouseForTests()

const revenue = 'kb/snippets/revenue.sql'
const tax = 'kb/snippets/tax.sql'
const filter = "  AND status = 'paid'\n"
const edit = (path: string, search: string, replace: string): readonly Edit[] => [
  { kind: 'edit_snippet', path, search, replace },
]
const withoutFilter = [`  AND is_test = 0\n`, `${filter}  AND is_test = 0\n`] as const

describe('a plan that leads back', () => {
  it('to the knowledge from before an accepted repair is refused, and says which repair it would undo', async () => {
    const files = shopWith({ [revenue]: [filter, ''], [tax]: [filter, ''] })
    const outcomes: string[] = []
    const proposer = scripted((subject, { earlier }) => {
      const [search, replace] = withoutFilter
      if (subject === 'metric revenue') return edit(revenue, search, replace)
      outcomes.push(...earlier.map(({ outcome }) => outcome))
      return edit(revenue, replace, search)
    })
    const cases = [revenueId, revenueTh, taxId, taxVn]
    const { result, attempts, text } = await repair(warehouse, files, cases, { rules: false, proposer })
    expect(attempts).toMatchObject([{ id: 'p1', outcome: 'accepted', subject: 'metric revenue' }])
    expect(text(revenue)).toBe(shop[revenue])
    expect(result.findings.get('tax_id')?.cause).toMatch(
      /; plan rejected: it would undo repair p1: the knowledge base would be as it was before$/,
    )
    expect(outcomes[0]).toContain('it would undo repair p1')
  })

  it('to knowledge that was rejected is refused without asking again, and the finding keeps its first outcome', async () => {
    const files = shopWith({ [revenue]: [filter, ''] })
    const proposer = scripted(() => edit(revenue, '  AND is_test = 0\n', ''))
    const { result, attempts } = await repair(warehouse, files, [revenueId, revenueTh], {
      rules: false,
      proposer,
    })
    expect(attempts).toMatchObject([{ outcome: 'rejected' }])
    expect(result.findings.get('revenue_id')).toMatchObject({
      cause: expect.stringMatching(/; 1 of 1 target cases still fail$/),
      retries: 1,
    })
  })
})
