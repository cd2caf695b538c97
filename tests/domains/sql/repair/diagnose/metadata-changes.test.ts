import { describe, expect, it } from 'vitest'
import { repair, warehouseForTests } from '../repair-in-memory.js'
import { caseOf, revenueId, revenueSql, revenueTh, shop, shopWith, taxId, taxSql, taxVn } from '../shop.js'

const warehouse = warehouseForTests()

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

describe('choices and defaults that come back', () => {
  const at = 'by: { type: choice, values: { channel: { sql: channel, aliases: [by channel] }, '
  const withDefault = {
    [units]: [at, at.replace('type: choice,', 'type: choice, default: channel,')],
  } as const
  const plain = caseOf('plain', 'units sold in ID in November 2025', unitsOf('channel', 10))

  it('the value of a choice, with its expression', async () => {
    const files = shopWith({ [units]: [', status: { sql: status, aliases: [by status] }', ''] })
    const asked = caseOf('u', 'units sold in ID in November 2025 by status', unitsOf('status', 10))
    const { attempts, text } = await repair(warehouse, files, [asked])
    expect(attempts).toMatchObject([{ label: 'missing_value', outcome: 'accepted' }])
    expect(text(units)).toBe(shop[units])
  })

  it('the value of a choice under the name that it had', async () => {
    const [had, missing] = [', state: { sql: status, aliases: [by status, per state] }', '']
    const files = shopWith({ [units]: [', status: { sql: status, aliases: [by status] }', missing] })
    const asked = caseOf('u', 'units sold in ID in November 2025 by status', unitsOf('status', 10))
    const removedLines = [
      { path: units, text: `  by: { values: { channel: { sql: channel }${had} } }`, by: 'x' },
    ]
    const { text } = await repair(warehouse, files, [asked], { removedLines })
    expect(text(units)).toContain(had)
  })

  it('the value of a choice that has a default', async () => {
    const good = shopWith(withDefault)
    const files = {
      ...good,
      [units]: good[units]?.replace(', status: { sql: status, aliases: [by status] }', '') ?? '',
    }
    const asked = caseOf('u', 'units sold in ID in November 2025 by status', unitsOf('status', 10))
    const { text } = await repair(warehouse, files, [asked, plain])
    expect(text(units)).toBe(good[units])
  })

  it('a default that changed', async () => {
    const good = shopWith(withDefault)
    const files = { ...good, [units]: good[units]?.replace('default: channel', 'default: status') ?? '' }
    const { attempts, text } = await repair(warehouse, files, [plain])
    expect(attempts).toMatchObject([{ label: 'wrong_definition', outcome: 'accepted', grade: 'E1' }])
    expect(attempts[0]?.title).toBe('units: the default of by is channel, not status')
    expect(text(units)).toBe(good[units])
  })

  it('a default that was dropped', async () => {
    const { text } = await repair(warehouse, shop, [plain])
    expect(text(units)).toContain('default: channel')
  })

  it('a number that one case alone says is the default does not', async () => {
    const files = shopWith({ [units]: ['default: 10', 'default: 1'] })
    const asked = (id: string, market: string) =>
      caseOf(
        id,
        `units sold in ${market} in November 2025 by channel`,
        unitsOf('channel', 2).replace('ID', market),
      )
    const { result } = await repair(warehouse, files, [asked('u', 'ID')])
    expect(result.accepted).toEqual([])
    expect(result.findings.get('u')?.cause).toContain('only one case supports 2 for n')
    const { text } = await repair(warehouse, files, [asked('u', 'ID'), asked('v', 'TH')])
    expect(text(units)).toContain('default: 2')
  })
})

describe('names that a second case proves', () => {
  it('an alias that two cases of different bindings use', async () => {
    const nps = caseOf('nps', 'ID NPS in November 2025', revenueSql('ID', '2025-11-01', '2025-11-30'))
    const more = caseOf('more', 'NPS of Thailand in May 2025', revenueSql('TH', '2025-05-01', '2025-05-31'))
    const { attempts, text } = await repair(warehouse, shop, [nps, more, revenueTh])
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E2' }])
    expect(text(revenue)).toContain('aliases: [revenue, turnover, NPS]')
  })

  it('an alias that a note relates to the metric, from one case', async () => {
    const files = { ...shop, 'kb/notes/words.md': 'Finance says takings where we say revenue.\n' }
    const takings = caseOf('t', 'ID takings in November 2025', revenueSql('ID', '2025-11-01', '2025-11-30'))
    const { attempts } = await repair(warehouse, files, [takings, revenueTh])
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E1' }])
  })

  it('the word of a value that another metric knows, from one case', async () => {
    const files = shopWith({ [revenue]: ['TH: [Thailand]', 'TH: []'] })
    const { attempts } = await repair(warehouse, files, [revenueTh, revenueId])
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E1' }])
  })
})

describe('names that stay', () => {
  it('a metric never loses its own name', async () => {
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

  it('a word by which two failing cases mean different metrics', async () => {
    const wares = ['ID wares in November 2025', 'TH wares in August 2025'] as const
    const one = caseOf('one', wares[0], revenueSql('ID', '2025-11-01', '2025-11-30'))
    const other = caseOf('other', wares[1], taxSql('TH', '2025-08-01', '2025-08-31'))
    for (const cases of [
      [one, other, revenueId, taxId],
      [other, one, revenueId, taxId],
    ]) {
      const { attempts, result } = await repair(warehouse, shop, cases)
      expect(attempts).toEqual([])
      expect(result.findings.get('one')?.cause).toBe(
        '"wares" is ambiguous: it means metric revenue in this case and metric tax in other; needs review',
      )
      expect(result.findings.get('other')?.cause).toContain('metric revenue in one')
    }
  })

  it('a word by which two failing cases mean different values', async () => {
    const one = caseOf(
      'one',
      'revenue of Nusantara in June 2025',
      revenueSql('ID', '2025-06-01', '2025-06-30'),
    )
    const other = caseOf('other', 'tax of Nusantara in May 2025', taxSql('SG', '2025-05-01', '2025-05-31'))
    const { attempts, result } = await repair(warehouse, shop, [one, other, revenueId, taxId])
    expect(attempts).toEqual([])
    expect(result.findings.get('one')?.cause).toContain(
      'it means market ID in this case and market SG in other',
    )
  })

  it('a name that one case alone uses, and that nothing in the knowledge base relates to the metric', async () => {
    const npsCase = caseOf('nps', 'ID NPS in November 2025', revenueSql('ID', '2025-11-01', '2025-11-30'))
    const { result, attempts } = await repair(warehouse, shop, [npsCase, revenueTh])
    expect(result.accepted).toEqual([])
    expect(attempts).toMatchObject([{ outcome: 'rejected' }])
    expect(result.findings.get('nps')).toMatchObject({ label: 'missing_alias' })
    expect(result.findings.get('nps')?.cause).toContain(
      'only one case supports "NPS" for revenue, and nothing in the knowledge base relates the two: a second case is needed',
    )
  })

  it('a place of which one case alone says that it is a market', async () => {
    const city = caseOf(
      'city',
      'revenue in Jakarta in November 2025',
      revenueSql('ID', '2025-11-01', '2025-11-30'),
    )
    const { result } = await repair(warehouse, shop, [city, revenueTh])
    expect(result.accepted).toEqual([])
    expect(result.findings.get('city')?.cause).toContain('only one case supports "Jakarta" for market ID')
  })

  it('a qualifier of an alias that was deleted', async () => {
    const files = shopWith({ [revenue]: ['[revenue, turnover]', '[turnover]'] })
    const gross = caseOf(
      'gross',
      'gross revenue of ID in November 2025',
      revenueSql('ID', '2025-11-01', '2025-11-30'),
    )
    const { result, text } = await repair(warehouse, files, [gross, revenueTh])
    expect(result.accepted).toEqual([])
    expect(text(revenue)).toBe(files[revenue])
  })

  it('what an anchor shares is left to a person, and the cause says so', async () => {
    const shared = `markets: &markets { ID: [Indonesia], SG: [] }\n${(shop[revenue] ?? '').replace(/values: \{.*?\} \}/, 'values: *markets }')}`
    const { result } = await repair(warehouse, { ...shop, [revenue]: shared }, [revenueTh, revenueId])
    expect(result.accepted).toEqual([])
    expect(result.findings.get('revenue_th')?.cause).toContain('is an alias; edit its anchor')
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
    expect(result.findings.get('cheat')?.cause).toContain('contains the value "ID"')
  })
})
