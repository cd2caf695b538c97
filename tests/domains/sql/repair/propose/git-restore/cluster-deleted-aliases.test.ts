import { describe, expect, it } from 'vitest'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { caseOf, revenueId, revenueSql, revenueTh, shop, shopWith, taxId } from '../../shop.js'

const warehouse = warehouseForTests()

const revenue = 'kb/metrics/revenue.yaml'
const tax = 'kb/metrics/tax.yaml'
const snippet = 'kb/snippets/revenue.sql'
const line = (path: string, text: string, by = 'commit 1a2b3c4') => ({ path, text, by })

describe('aliases that were exchanged between two metrics', () => {
  const swapped = shopWith({
    [revenue]: ['aliases: [revenue, turnover]', 'aliases: [tax, duty]'],
    [tax]: ['aliases: [tax]', 'aliases: [turnover, revenue]'],
  })
  const removedLines = [line(revenue, 'aliases: [revenue, turnover]'), line(tax, 'aliases: [tax, duty]')]

  it('all go back where one change moved them, also those that no case asks for', async () => {
    const { attempts, text } = await repair(warehouse, swapped, [revenueId, revenueTh, taxId], {
      removedLines,
    })
    expect(attempts).toMatchObject([
      {
        title: "revenue and tax had each other's aliases",
        outcome: 'accepted',
        grade: 'E2',
        cases: ['revenue_id', 'revenue_th', 'tax_id'],
      },
    ])
    expect(text(tax)).toContain('aliases: [tax, duty]\n')
    expect(text(revenue)).toMatch(/aliases: \[(revenue, turnover|turnover, revenue)\]\n/)
  })

  it('except one that another change moved', async () => {
    const other = [
      line(revenue, 'aliases: [revenue]'),
      line(revenue, 'aliases: [turnover]', 'commit 5d6e7f8'),
    ]
    const files = shopWith({
      [revenue]: ['aliases: [revenue, turnover]', 'aliases: [sales]'],
      [tax]: ['aliases: [tax]', 'aliases: [tax, revenue, turnover]'],
    })
    const { text } = await repair(warehouse, files, [revenueId, taxId], { removedLines: other })
    expect(text(tax)).toContain('aliases: [tax, turnover]\n')
    expect(text(revenue)).toContain('aliases: [sales, revenue]\n')
  })
})

describe('an alias that was deleted with a condition of its metric', () => {
  const intake = caseOf('intake', 'intake in ID in May 2025', revenueSql('ID', '2025-05-01', '2025-05-31'))
  const taking = caseOf('taking', 'takings in TH in June 2025', revenueSql('TH', '2025-06-01', '2025-06-30'))
  const broken = shopWith({ [snippet]: ["  AND status = 'paid'\n", ''] })
  const removedLines = [
    line(revenue, 'aliases: [revenue, intake, takings]'),
    line(snippet, "  AND status = 'paid'"),
  ]

  it('comes back with it, for all cases that ask by such an alias', async () => {
    const { attempts, text } = await repair(warehouse, broken, [intake, taking, taxId], {
      removedLines,
    })
    expect(attempts.at(-1)).toMatchObject({
      title: 'revenue: filter status = \'paid\' was missing; aliases "intake", "takings" were missing',
      outcome: 'accepted',
      grade: 'E2',
      cases: ['intake', 'taking'],
    })
    expect(text(snippet)).toBe(shop[snippet])
    expect(text(revenue)).toContain('aliases: [revenue, turnover, intake, takings]\n')
  })

  it('stays deleted where nothing says that it was one', async () => {
    const { result } = await repair(warehouse, broken, [intake, taking, taxId], {
      removedLines: removedLines.slice(1),
    })
    expect(result.accepted).toEqual([])
    expect(result.findings.get('intake')?.label).toBe('missing_definition')
  })
})
