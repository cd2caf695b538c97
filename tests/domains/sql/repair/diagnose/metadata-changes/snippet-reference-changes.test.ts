import { describe, expect, it } from 'vitest'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { caseOf, revenueId, revenueSql, revenueTh, shop, shopWith, taxId } from '../../shop.js'

const warehouse = warehouseForTests()

const revenue = 'kb/metrics/revenue.yaml'
const tax = 'kb/metrics/tax.yaml'
const line = (text: string) => ({ removedLines: [{ path: revenue, text, by: 'commit 1a2b3c4' }] })

describe('a metric with the snippet of another one', () => {
  const files = shopWith({ [revenue]: ['snippet: revenue.sql', 'snippet: tax.sql'] })

  it('has the one that no metric names where two cases say so', async () => {
    const { attempts, text } = await repair(warehouse, files, [revenueId, revenueTh, taxId])
    expect(attempts).toMatchObject([
      { title: 'revenue: its snippet is revenue.sql, not tax.sql', outcome: 'accepted', grade: 'E2' },
    ])
    expect(text(revenue)).toBe(shop[revenue])
  })

  it('has it for one case where its file once named it', async () => {
    const { result } = await repair(warehouse, files, [revenueId, taxId])
    expect(result.accepted).toEqual([])
    const { text } = await repair(warehouse, files, [revenueId, taxId], line('snippet: revenue.sql'))
    expect(text(revenue)).toBe(shop[revenue])
  })
})

describe('two metrics with the snippets of each other', () => {
  const swapped = shopWith({
    [revenue]: ['snippet: revenue.sql', 'snippet: tax.sql'],
    [tax]: ['snippet: tax.sql', 'snippet: revenue.sql'],
  })
  const turnover = caseOf(
    'turnover',
    'turnover in SG in June 2025',
    revenueSql('SG', '2025-06-01', '2025-06-30'),
  )

  it('have their own again, and no word of one becomes a word of the other', async () => {
    const { attempts, text } = await repair(warehouse, swapped, [turnover, revenueId, taxId])
    expect(attempts).toMatchObject([
      { title: "revenue and tax had each other's snippet", outcome: 'accepted', grade: 'E2' },
    ])
    expect([text(revenue), text(tax)]).toEqual([shop[revenue], shop[tax]])
  })

  it('stay for one case alone', async () => {
    const { result } = await repair(warehouse, swapped, [revenueId])
    expect(result.accepted).toEqual([])
    expect(result.findings.get('revenue_id')?.cause).toContain('a second case is needed')
  })

  it('lead to no word moved to a metric whose own case fails', async () => {
    const files = shopWith({
      'kb/snippets/revenue.sql': ['sum(amount)', 'sum(tax)'],
      'kb/snippets/tax.sql': ['sum(tax)', 'sum(amount)'],
    })
    const { text } = await repair(warehouse, files, [turnover, revenueId, taxId])
    expect([text(revenue), text(tax)]).toEqual([shop[revenue], shop[tax]])
  })
})

describe('a metric with a snippet that is not there', () => {
  const files = shopWith({ [revenue]: ['snippet: revenue.sql', 'snippet: revenues.sql'] })

  it('has the one that no metric names and that says what is expected', async () => {
    const { attempts, text } = await repair(warehouse, files, [revenueId, taxId])
    expect(attempts).toMatchObject([
      { title: 'revenue: its snippet is revenue.sql, and there is no revenues.sql', outcome: 'accepted' },
    ])
    expect(text(revenue)).toBe(shop[revenue])
  })

  it('has its own again in place of one of another metric that does not fit', async () => {
    const wrong = shopWith({ [revenue]: ['snippet: revenue.sql', 'snippet: units.sql'] })
    const { attempts, text } = await repair(warehouse, wrong, [revenueId, revenueTh, taxId])
    expect(attempts).toMatchObject([
      { title: 'revenue: its snippet is revenue.sql, not units.sql', outcome: 'accepted', grade: 'E2' },
    ])
    expect(text(revenue)).toBe(shop[revenue])
  })

  it('stays where another metric names that, or where git had the other', async () => {
    const taken = { ...files, [tax]: shop[tax]?.replace('tax.sql', 'revenue.sql') ?? '' }
    expect((await repair(warehouse, taken, [revenueId])).result.accepted).toEqual([])
    const removed = [{ path: 'kb/snippets/revenues.sql', text: 'SELECT 1', by: 'commit 1a2b3c4' }]
    const { result } = await repair(warehouse, files, [revenueId], { removedLines: removed })
    expect(result.accepted).toEqual([])
    expect(result.findings.get('revenue_id')?.label).toBe('broken_entry')
  })
})
