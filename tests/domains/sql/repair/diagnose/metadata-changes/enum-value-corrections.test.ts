import { describe, expect, it } from 'vitest'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { caseOf, revenueId, revenueSg, revenueSql, revenueTh, shop, shopWith } from '../../shop.js'

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
    const outlier = { ...revenueTh, expectedSql: revenueSql('SG', '2025-08-01', '2025-08-31') }
    const { result } = await repair(warehouse, shop, [outlier, revenueId])
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
    const removed = ['TH: [Thailand], ', ''] as const
    const { text } = await repair(
      warehouse,
      shopWith({ [revenue]: removed, [tax]: removed, [units]: removed }),
      [byCode('th', 'August'), revenueId],
      line('  market: { values: { TH: [Thailand] } }'),
    )
    expect(text(revenue)).toContain('TH: [Thailand]')
  })
})
