import { describe, expect, it } from 'vitest'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { caseOf, revenueId, revenueSg, revenueSql, revenueTh, shop, shopWith, taxId } from '../../shop.js'

const warehouse = warehouseForTests()
const [metric, snippet] = ['kb/metrics/revenue.yaml', 'kb/snippets/revenue.sql']
const declaration = /\n {2}market: .*/.exec(shop[metric] ?? '')?.[0] ?? ''
const fixed = shopWith({ [metric]: [declaration, ''], [snippet]: ['{{ market }}', "'ID'"] })

describe('a parameter that was deleted from a metric and written as a constant in its snippet', () => {
  it('is declared again as other metrics have it, and its placeholder is back', async () => {
    const { attempts, text } = await repair(warehouse, fixed, [revenueId, revenueTh, revenueSg, taxId])
    expect(attempts).toMatchObject([
      {
        title: 'revenue: parameter market was missing',
        outcome: 'accepted',
        grade: 'E2',
        cases: ['revenue_id', 'revenue_th', 'revenue_sg'],
      },
    ])
    expect(text(snippet)).toBe(shop[snippet])
    expect(text(metric)).toContain(declaration)
  })

  it('is reported with what stands in its place where one case asks for it', async () => {
    for (const testCase of [revenueId, revenueTh]) {
      const { result } = await repair(warehouse, fixed, [testCase, taxId])
      expect(result.accepted).toEqual([])
      expect(result.findings.get(testCase.id)?.cause).toContain(
        "metric revenue has no parameter market, and its snippet revenue.sql has 'ID' hard-coded: declare market in kb/metrics/revenue.yaml as other metrics do, and write {{ market }} there",
      )
    }
  })

  it('stays so where all cases ask for one value: it may be the only one that is meant', async () => {
    const other = caseOf('other', 'ID turnover in May 2025', revenueSql('ID', '2025-05-01', '2025-05-31'))
    const { result } = await repair(warehouse, fixed, [revenueId, other, taxId])
    expect(result.accepted).toEqual([])
  })

  it('stays so where the expected queries do not follow it', async () => {
    const everywhere = [revenueId, revenueTh].map((each) => ({
      ...each,
      expectedSql: each.expectedSql.replace(/market = '\w+' AND /, ''),
    }))
    const { result } = await repair(warehouse, fixed, [...everywhere, taxId])
    expect(result.accepted).toEqual([])
  })

  it('does not become an alias of the metric, although git knows the code from its file', async () => {
    const removedLines = [{ path: metric, text: declaration.trim(), by: 'commit 1a2b3c4' }]
    const { result } = await repair(warehouse, fixed, [revenueId, taxId], { removedLines })
    expect(result.accepted).toEqual([])
  })
})

it('a code of two letters that is a value elsewhere is no alias', async () => {
  const files = shopWith({ [metric]: [declaration, ''], [snippet]: ['market = {{ market }}\n  AND ', ''] })
  const sql = revenueSql('ID', '2025-11-01', '2025-11-30').replace("market = 'ID' AND ", '')
  const removedLines = [{ path: metric, text: 'aliases: [ID]', by: 'commit 1a2b3c4' }]
  const testCase = caseOf('id', 'ID revenue in November 2025', sql)
  const { result } = await repair(warehouse, files, [testCase, taxId], { removedLines })
  expect(result.accepted).toEqual([])
})
