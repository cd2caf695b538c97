import { describe, expect, it } from 'vitest'
import { repair, revenueId, revenueTh, shop, taxId, warehouseForTests } from './setting.js'

const warehouse = warehouseForTests()
const path = 'kb/snippets/revenue.sql'
const { [path]: _gone, ...files } = shop

describe('the snippet of a metric that is nowhere', () => {
  it('is written again from two cases, with the values of the question as placeholders', async () => {
    const { attempts, text } = await repair(warehouse, files, [revenueId, revenueTh, taxId])
    expect(attempts).toMatchObject([
      {
        title: 'revenue: its snippet revenue.sql was gone',
        label: 'broken_entry',
        outcome: 'accepted',
        grade: 'E2',
        cases: ['revenue_id', 'revenue_th'],
      },
    ])
    expect(text(path)).toContain('{{ market }}')
    expect(text(path)).toContain('{{ period.start }}')
    expect(text(path)).not.toMatch(/'ID'|2025/)
  })

  it.each([
    ['one case alone asks for it', [revenueId, taxId]],
    [
      'two cases expect different queries',
      [revenueId, { ...revenueTh, expectedSql: revenueTh.expectedSql.replace('sum(', 'avg(') }, taxId],
    ],
    [
      'a query does not follow a parameter',
      [revenueId, revenueTh].map((one) => ({
        ...one,
        expectedSql: one.expectedSql.replace(/market = '\w+'/, "market <> 'X'"),
      })),
    ],
  ])('is left to a person where %s', async (_what, cases) => {
    const { result } = await repair(warehouse, files, cases)
    expect(result.accepted).toEqual([])
    expect(result.findings.get('revenue_id')?.label).toMatch(/broken_entry|suspect_oracle/)
  })
})
