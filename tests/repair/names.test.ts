import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  caseOf,
  openShop,
  repair,
  revenueId,
  revenueSql,
  revenueTh,
  type Shop,
  shop,
  shopWith,
  taxId,
  taxSql,
  taxVn,
} from './setting.js'

let warehouse: Shop
beforeAll(async () => {
  warehouse = await openShop()
})
afterAll(() => warehouse.close())

const revenue = 'kb/metrics/revenue.yaml'
const tax = 'kb/metrics/tax.yaml'
const units = 'kb/metrics/units.yaml'

const thai = caseOf('thai', 'TH revenue in August 2025', revenueSql('TH', '2025-08-01', '2025-08-31'))
const unitsOf = (by: string, n: number): string =>
  `SELECT ${by} AS slice, sum(units) AS units FROM sales WHERE market = 'ID' AND day BETWEEN '2025-11-01' AND '2025-11-30' GROUP BY 1 ORDER BY 2 DESC LIMIT ${n}`

describe('names that come back', () => {
  it('an alias', async () => {
    const files = shopWith({ [revenue]: ['[revenue, turnover]', '[revenue]'] })
    const { attempts, text } = await repair(warehouse, files, [revenueTh, revenueId])
    expect(attempts).toMatchObject([{ label: 'missing_alias', outcome: 'accepted', grade: 'E1' }])
    expect(text(revenue)).toBe(shop[revenue])
  })

  it('every alias of a metric that has none, one repair each', async () => {
    const files = shopWith({ [revenue]: ['aliases: [revenue, turnover]\n', ''] })
    const { attempts, text } = await repair(warehouse, files, [revenueId, revenueTh])
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted'])
    expect(text(revenue)).toContain('aliases: [revenue, turnover]\n')
  })

  it('an alias that another metric took', async () => {
    const files = shopWith({
      [revenue]: ['[revenue, turnover]', '[revenue]'],
      [tax]: ['aliases: [tax]', 'aliases: [tax, turnover]'],
    })
    const { attempts, text } = await repair(warehouse, files, [revenueTh, revenueId, taxId])
    expect(attempts).toMatchObject([{ label: 'retrieval_miss', outcome: 'accepted' }])
    expect([text(revenue), text(tax)]).toEqual([shop[revenue], shop[tax]])
  })

  it('an alias taken by a metric of other parameters', async () => {
    const files = shopWith({
      [revenue]: ['[revenue, turnover]', '[revenue]'],
      [units]: ['[units sold]', '[units sold, turnover]'],
    })
    const { text } = await repair(warehouse, files, [revenueTh, revenueId])
    expect([text(revenue), text(units)]).toEqual([shop[revenue], shop[units]])
  })

  it('an alias that two metrics claim', async () => {
    const files = shopWith({ [tax]: ['aliases: [tax]', 'aliases: [tax, turnover]'] })
    const { text } = await repair(warehouse, files, [revenueTh, revenueId, taxId])
    expect([text(revenue), text(tax)]).toEqual([shop[revenue], shop[tax]])
  })

  it('a value with the word that the question uses', async () => {
    const files = shopWith({ [revenue]: ['TH: [Thailand], ', ''] })
    const { attempts, text } = await repair(warehouse, files, [revenueTh, revenueId])
    expect(attempts).toMatchObject([{ label: 'missing_value', outcome: 'accepted' }])
    expect(text(revenue)).toContain('TH: [Thailand]')
  })

  it('a value by all the words of several cases at once', async () => {
    const files = shopWith({ [revenue]: ['TH: [Thailand], ', ''] })
    const { attempts, text } = await repair(warehouse, files, [revenueTh, thai])
    expect(attempts).toMatchObject([{ outcome: 'accepted', cases: ['revenue_th', 'thai'] }])
    expect(text(revenue)).toContain('TH: [Thailand]')
  })

  it('a value of a plain list', async () => {
    const listed = (shop[revenue] ?? '').replace(
      /\{ type: enum.*\n/,
      '{ type: enum, values: [ID, SG] } # markets\n',
    )
    const { text } = await repair(warehouse, { ...shop, [revenue]: listed }, [thai, revenueId])
    expect(text(revenue)).toBe(listed.replace('[ID, SG]', '[ID, SG, TH]'))
  })

  it('a value of a plain list by its word: the list becomes a map', async () => {
    const listed = (shop[revenue] ?? '').replace(/\{ type: enum.*\n/, '{ type: enum, values: [ID, SG] }\n')
    const { text } = await repair(warehouse, { ...shop, [revenue]: listed }, [revenueTh, revenueId])
    expect(text(revenue)).toContain('values: { ID: [], SG: [], TH: [Thailand] }')
  })

  it('the word of a choice', async () => {
    const files = shopWith({ [units]: [', aliases: [by status]', ''] })
    const asked = caseOf('u', 'units sold in ID in November 2025 by status', unitsOf('status', 10))
    const { text } = await repair(warehouse, files, [asked])
    expect(text(units)).toContain('status: { sql: status, aliases: [by status] }')
  })

  it('the word of a number', async () => {
    const files = shopWith({ [units]: ['words: [top]', 'words: [best]'] })
    const asked = caseOf('u', 'units sold in ID in November 2025 by channel top 2', unitsOf('channel', 2))
    const { text } = await repair(warehouse, files, [asked])
    expect(text(units)).toContain('words: [best, top]')
  })
})

describe('names that stay', () => {
  it('a metric is never robbed of its own name', async () => {
    const wrong = { ...taxId, expectedSql: revenueSql('ID', '2025-10-01', '2025-10-31') }
    const files = shopWith({ [tax]: ['aliases: [tax]', 'aliases: [tax, levies]'] })
    const { attempts, result, text } = await repair(warehouse, files, [wrong, revenueId])
    expect(attempts.filter(({ label }) => label === 'retrieval_miss')).toEqual([])
    expect(text(tax)).toBe(files[tax])
    expect(result.accepted.flatMap(({ attempt }) => attempt.edits.map(({ file }) => file))).not.toContain(tax)
  })

  it('a metric keeps its last alias: without one nothing leads to it', async () => {
    const files = shopWith({ [tax]: ['aliases: [tax]', 'aliases: [levies]'] })
    const wrong = caseOf('wrong', 'ID levies in June 2025', revenueSql('ID', '2025-06-01', '2025-06-30'))
    const { text } = await repair(warehouse, files, [wrong, revenueTh])
    expect(text(tax)).toBe(files[tax])
  })

  it('an alias on which another case of the metric relies', async () => {
    const files = shopWith({ [tax]: ['aliases: [tax]', 'aliases: [tax, levies]'] })
    const wrong = caseOf('wrong', 'ID levies in June 2025', revenueSql('ID', '2025-06-01', '2025-06-30'))
    const right = caseOf('right', 'VN levies in May 2025', taxSql('VN', '2025-05-01', '2025-05-31'))
    const { result } = await repair(warehouse, files, [wrong, right, taxVn])
    expect(result.accepted).toEqual([])
    expect(result.findings.get('wrong')?.label).toBe('suspect_oracle')
  })

  it('what an anchor shares is left to a person, and the cause says so', async () => {
    const shared = `markets: &markets { ID: [Indonesia], SG: [] }\n${(shop[revenue] ?? '').replace(/values: \{.*?\} \}/, 'values: *markets }')}`
    const { result } = await repair(warehouse, { ...shop, [revenue]: shared }, [revenueTh, revenueId])
    expect(result.accepted).toEqual([])
    expect(result.findings.get('revenue_th')?.cause).toContain('is an alias; edit what it stands for')
  })

  it('a market inside the words of an alias: it belongs to the parameter, whatever its default', async () => {
    const files = shopWith({
      [revenue]: ['VN: [Vietnam], BN: [Brunei] } }', 'VN: [Vietnam], BN: [Brunei] }, default: ID }'],
    })
    const cheat = caseOf(
      'cheat',
      'earned ID money in November 2025',
      revenueSql('ID', '2025-11-01', '2025-11-30'),
    )
    const { result, text } = await repair(warehouse, files, [cheat, revenueTh])
    expect(text(revenue)).toBe(files[revenue])
    expect(result.findings.get('cheat')?.cause).toContain('holds the value "ID"')
  })
})
