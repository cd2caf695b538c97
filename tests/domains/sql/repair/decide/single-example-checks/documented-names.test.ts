import { describe, expect, it } from 'vitest'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { revenueId, revenueTh, shop, shopWith } from '../../shop.js'

const warehouse = warehouseForTests()

const snippet = 'kb/snippets/revenue.sql'
const counting = (value: string, testCase = revenueId) => ({
  ...testCase,
  expectedSql: testCase.expectedSql.replace('sum(amount)', `sum(${value})`),
})
const noted = (text: string) => ({ ...shop, 'kb/notes/money.md': `# Money\n\n${text}\n` })

describe('what a note or a comment names', () => {
  it.each([
    ['Revenue adds up `amount`.', `removing amount from ${snippet}, although kb/notes/money.md:3 names it`],
    [
      'Revenue is `sum(amount)`, in cents.',
      `removing amount from ${snippet}, although kb/notes/money.md:3 names it`,
    ],
    [
      '`units` must not be added up as money.',
      `adding units to ${snippet}, although kb/notes/money.md:3 contradicts it`,
    ],
    [
      'Revenue adds up `amount`, not `units`.',
      `adding units to ${snippet}, although kb/notes/money.md:3 contradicts it`,
    ],
  ])('does not change for one case alone: %s', async (text, cause) => {
    const { result } = await repair(warehouse, noted(text), [counting('units')])
    expect(result.accepted).toEqual([])
    expect(result.findings.get(revenueId.id)?.cause).toContain(`only one case supports ${cause}`)
  })

  it('a text that a comment above the query names does not change either', async () => {
    const files = shopWith({ [snippet]: ['SELECT', "-- only status = 'paid' counts\nSELECT"] })
    const lone = { ...files, 'kb/snippets/tax.sql': 'SELECT sum(tax) AS tax FROM sales' }
    const expectedSql = revenueId.expectedSql.replace(" AND status = 'paid'", '')
    const { result } = await repair(warehouse, lone, [{ ...revenueId, expectedSql }])
    expect(result.accepted).toEqual([])
    expect(result.findings.get(revenueId.id)?.cause).toContain("'paid'")
  })

  it.each([
    ['neither is mentioned', 'Amounts are in cents.'],
    ['both are named', 'Sales have `amount` and `units`.'],
    ['the old one is advised against', 'The column `amount` is unreliable.'],
  ])('changes where %s', async (_what, text) => {
    const { attempts } = await repair(warehouse, noted(text), [counting('units')])
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E1' }])
  })

  it('changes where two cases ask for it', async () => {
    const cases = [counting('units'), counting('units', revenueTh)]
    const { attempts } = await repair(warehouse, noted('Revenue adds up `amount`.'), cases)
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E2' }])
  })
})
