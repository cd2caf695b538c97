import { describe, expect, it } from 'vitest'
import {
  caseOf,
  repair,
  revenueId,
  revenueSg,
  revenueSql,
  revenueTh,
  shop,
  shopWith,
  taxId,
  warehouseForTests,
} from './setting.js'

const warehouse = warehouseForTests()

const revenue = 'kb/metrics/revenue.yaml'
const tax = 'kb/metrics/tax.yaml'
const units = 'kb/metrics/units.yaml'
const line = (text: string) => ({ removedLines: [{ path: revenue, text, by: 'commit 1a2b3c4' }] })

describe('a value that the metric takes for another one', () => {
  const misspelt = ['TH: [Thailand]', 'HT: [Thailand]'] as const

  it('has its code again as the other metrics have it', async () => {
    const { attempts, text } = await repair(warehouse, shopWith({ [revenue]: misspelt }), [
      revenueTh,
      revenueId,
    ])
    expect(attempts).toMatchObject([
      { title: 'revenue: "Thailand" is market TH, not HT', outcome: 'accepted', grade: 'E1' },
    ])
    expect(text(revenue)).toContain('TH: [Thailand]')
    expect(text(revenue)).not.toContain('HT:')
  })

  it('has its words again where two were exchanged', async () => {
    const files = shopWith({
      [revenue]: ['ID: [Indonesia], TH: [Thailand]', 'ID: [Thailand], TH: [Indonesia]'],
    })
    const indonesia = caseOf(
      'indonesia',
      'revenue of Indonesia in May 2025',
      revenueSql('ID', '2025-05-01', '2025-05-31'),
    )
    const { text } = await repair(warehouse, files, [revenueTh, indonesia, revenueSg])
    expect(text(revenue)).toBe(shop[revenue])
  })

  it('has both words again where two were exchanged and one case tells', async () => {
    const files = shopWith({
      [revenue]: ['ID: [Indonesia], TH: [Thailand]', 'ID: [Thailand], TH: [Indonesia]'],
    })
    const { attempts, text } = await repair(warehouse, files, [revenueTh, revenueSg])
    expect(attempts).toHaveLength(1)
    expect(text(revenue)).toBe(shop[revenue])
  })

  it('has its code again in its place, in its quotes and with its comment', async () => {
    const values = `ID: [Indonesia]\n      "TH": ['Thailand'] # 2nd\n      SG: [Singapore]\n`
    const written = `metric: revenue\naliases: [revenue, turnover]\nsnippet: revenue.sql\nparameters:\n  market:\n    type: enum\n    default: TH\n    values:\n      ${values}  period: { type: date_range }\n`
    const drifted = written.replaceAll('TH', 'THA')
    const byCode = caseOf('code', 'TH revenue in May 2025', revenueSql('TH', '2025-05-01', '2025-05-31'))
    for (const testCase of [revenueTh, byCode]) {
      const { text } = await repair(warehouse, { ...shop, [revenue]: drifted }, [testCase, revenueId])
      expect(text(revenue)).toBe(written)
    }
  })

  const everywhere = shopWith({ [revenue]: misspelt, [tax]: misspelt, [units]: misspelt })

  it('has the code that its file once had where no other metric knows the word', async () => {
    const files = {
      ...everywhere,
      [tax]: everywhere[tax]?.replace('HT: [Thailand], ', '') ?? '',
      [units]: everywhere[units]?.replace('HT: [Thailand], ', '') ?? '',
    }
    const cases = [revenueTh, revenueId]
    const { text } = await repair(warehouse, files, cases, line('  market: { values: { TH: [Thailand] } }'))
    expect(text(revenue)).toContain('TH: [Thailand]')
    expect((await repair(warehouse, files, cases)).result.accepted).toEqual([])
  })

  it('stays where all metrics have it so, whatever the file once had', async () => {
    const { result } = await repair(
      warehouse,
      everywhere,
      [revenueTh, revenueId],
      line('  market: { values: { TH: [Thailand] } }'),
    )
    expect(result.accepted).toEqual([])
  })

  it('is no way round an expected query of another value', async () => {
    const odd = { ...revenueTh, expectedSql: revenueSql('SG', '2025-08-01', '2025-08-31') }
    const { result } = await repair(warehouse, shop, [odd, revenueId])
    expect(result.accepted).toEqual([])
    expect(result.findings.get('revenue_th')?.label).toBe('suspect_oracle')
  })
})

describe('a code that no metric has', () => {
  const renamed = ['TH: [Thailand]', 'THA: [Thailand]'] as const
  const files = shopWith({ [revenue]: renamed, [tax]: renamed, [units]: renamed })
  const byCode = (id: string, month: string) =>
    caseOf(id, `TH revenue in ${month} 2025`, revenueSql('TH', '2025-08-01', '2025-08-31'))

  it('does not come back for one case: it may have been renamed', async () => {
    const cases = [byCode('th', 'August'), revenueId]
    for (const more of [{}, line('  market: { values: { TH: [Thailand] } }')]) {
      const { result } = await repair(warehouse, files, cases, more)
      expect(result.accepted).toEqual([])
      expect(result.findings.get('th')?.cause).toContain('no other metric has it: a second case is needed')
    }
  })

  it('comes back where the file had it and nothing took its place', async () => {
    const lost = ['TH: [Thailand], ', ''] as const
    const { text } = await repair(
      warehouse,
      shopWith({ [revenue]: lost, [tax]: lost, [units]: lost }),
      [byCode('th', 'August'), revenueId],
      line('  market: { values: { TH: [Thailand] } }'),
    )
    expect(text(revenue)).toContain('TH: [Thailand]')
  })
})

describe('a choice of another expression', () => {
  const by = (id: string, market: string) =>
    caseOf(
      id,
      `${market} units sold by channel in November 2025`,
      `SELECT channel, sum(units) FROM sales WHERE market = '${market}' AND day BETWEEN '2025-11-01' AND '2025-11-30' GROUP BY channel ORDER BY 2 DESC LIMIT 10`,
    )
  const cases = [by('a', 'ID'), by('b', 'TH')]

  it('has the column that the expected query has where its own is not there any more', async () => {
    const files = shopWith({ [units]: ['sql: channel,', 'sql: sales_channel,'] })
    const { attempts, text } = await repair(warehouse, files, cases.slice(0, 1))
    expect(attempts).toMatchObject([
      { title: 'units: by channel is channel, not sales_channel', outcome: 'accepted' },
    ])
    expect(text(units)).toBe(shop[units])
  })

  it('takes two cases where its own gives an answer', async () => {
    const files = shopWith({ [units]: ['sql: channel,', 'sql: day,'] })
    const { result } = await repair(warehouse, files, cases.slice(0, 1))
    expect(result.findings.get('a')?.cause).toBe(
      'units: by channel is channel, not day; only one case supports channel for by channel: a second case is needed',
    )
    const { attempts, text } = await repair(warehouse, files, cases)
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E2' }])
    expect(text(units)).toBe(shop[units])
  })
})

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
    const lost = [{ path: 'kb/snippets/revenues.sql', text: 'SELECT 1', by: 'commit 1a2b3c4' }]
    const { result } = await repair(warehouse, files, [revenueId], { removedLines: lost })
    expect(result.accepted).toEqual([])
    expect(result.findings.get('revenue_id')?.label).toBe('broken_entry')
  })
})
