import { describe, expect, it } from 'vitest'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { caseOf, revenueId, revenueTh, shop, shopWith, taxId } from '../../shop.js'

const warehouse = warehouseForTests()
const path = 'kb/snippets/revenue.sql'
const { [path]: _gone, ...files } = shop

describe('the snippet of a metric that no file has', () => {
  it('is written again from two cases, with the values of the question as placeholders', async () => {
    const { attempts, text } = await repair(warehouse, files, [revenueId, revenueTh, taxId])
    expect(attempts).toMatchObject([
      {
        title: 'revenue: its snippet revenue.sql was missing',
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

describe('the snippet of a metric that is empty', () => {
  it.each(['', '\n \n'])('is written again from two cases, as one that no file has: %j', async (blank) => {
    const { attempts, text } = await repair(warehouse, shopWith({ [path]: blank }), [
      revenueId,
      revenueTh,
      taxId,
    ])
    expect(attempts).toMatchObject([
      { title: 'revenue: its snippet revenue.sql was empty', outcome: 'accepted', grade: 'E2' },
    ])
    expect(text(path)).toContain('{{ market }}')
  })

  it('is reported as empty where one case alone asks for it', async () => {
    const { result } = await repair(warehouse, shopWith({ [path]: '' }), [revenueId, taxId])
    expect(result.accepted).toEqual([])
    expect(result.findings.get('revenue_id')?.cause).toBe(
      'kb/snippets/revenue.sql is empty; only one case supports the text of kb/snippets/revenue.sql: a second case is needed',
    )
  })

  it('groups and orders by position what a question chooses: another choice may be a constant', async () => {
    const sql = (by: string, market: string) =>
      `SELECT ${by} AS slice, sum(units) AS units FROM sales WHERE market = '${market}' AND day BETWEEN '2025-11-01' AND '2025-11-30' GROUP BY ${by} ORDER BY 2 DESC, ${by} LIMIT 10`
    const cases = [
      caseOf('channel', 'units sold in ID in November 2025 by channel', sql('channel', 'ID')),
      caseOf('status', 'units sold in TH in November 2025 by status', sql('status', 'TH')),
    ]
    const { text } = await repair(warehouse, shopWith({ 'kb/snippets/units.sql': '' }), cases)
    expect(text('kb/snippets/units.sql')).toMatch(/GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT \{\{ n \}\}\n$/)
  })
})
