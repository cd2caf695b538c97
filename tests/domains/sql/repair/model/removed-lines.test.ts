import { describe, expect, it } from 'vitest'
import { repair, warehouseForTests } from '../repair-in-memory.js'
import { caseOf, revenueId, revenueSql, revenueTh, shop } from '../shop.js'

const warehouse = warehouseForTests()

const path = 'kb/metrics/revenue.yaml'
const intake = caseOf('intake_id', 'ID intake in November 2025', revenueSql('ID', '2025-11-01', '2025-11-30'))
const cases = [revenueId, revenueTh, intake]
const line = (text: string, of = path) => [{ path: of, text, by: 'commit 1a2b3c4' }]

describe('a word that one case alone explains', () => {
  it.each([
    ['nothing relates it to the metric', undefined],
    ['another file once had it', line('aliases: [intake]', 'kb/metrics/tax.yaml')],
    ['only a comment of the file once had it', line('aliases: [revenue] # never call it intake')],
    ['the file once had a longer word', line('aliases: [intakes]')],
  ])('goes to a person where %s', async (_what, removedLines) => {
    const { result } = await repair(warehouse, shop, cases, { removedLines })
    expect(result.accepted).toEqual([])
    expect(result.findings.get('intake_id')?.cause).toContain('only one case supports "intake" for revenue')
  })

  it('comes back as its author wrote it, not as the part of it that nothing covers', async () => {
    const onTime = caseOf('on_time', 'on-time intake in ID in November 2025', intake.expectedSql)
    const removedLines = line('aliases: [revenue, turnover, on-time intake]')
    const { text } = await repair(warehouse, shop, [revenueId, revenueTh, onTime], {
      removedLines,
    })
    expect(text(path)).toContain('aliases: [revenue, turnover, on-time intake]\n')
  })

  it('comes back where the file of the metric once had it, and says since when', async () => {
    const removedLines = line('aliases: [revenue, intake]')
    const { attempts, text } = await repair(warehouse, shop, cases, { removedLines })
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E1', cases: ['intake_id'] }])
    expect(attempts[0]?.reasoning).toMatch(
      /; commit 1a2b3c4 removed "intake" from kb\/metrics\/revenue\.yaml$/,
    )
    expect(text(path)).toContain('aliases: [revenue, turnover, intake]\n')
  })
})

describe('words beside the name of the metric', () => {
  const net = caseOf(
    'net',
    'net revenue in ID in November 2025',
    revenueSql('ID', '2025-11-01', '2025-11-30'),
  )

  it('are a part of it where its file once said so', async () => {
    const { text } = await repair(warehouse, shop, [net], {
      removedLines: line('aliases: [revenue, net revenue]'),
    })
    expect(text(path)).toContain('aliases: [revenue, turnover, net revenue]\n')
  })

  it('go to a person where nothing says so, with what can be done', async () => {
    const { result } = await repair(warehouse, shop, [net])
    expect(result.accepted).toEqual([])
    expect(result.findings.get('net')?.cause).toContain(
      'without "net" the question means revenue, which matches the expected query: add the words to an alias of kb/metrics/revenue.yaml if they do not change the meaning',
    )
  })
})

describe('a word of cases whose expected queries have a structure of their own', () => {
  const month = caseOf(
    'month',
    'ID intake in November 2025',
    "SELECT sum(CASE WHEN status = 'paid' THEN amount END) FROM sales WHERE market = 'ID' AND strftime('%Y-%m', day) = '2025-11' AND is_test = 0",
  )
  const cause = async (removedLines: ReturnType<typeof line> | undefined): Promise<string | undefined> =>
    (await repair(warehouse, shop, [revenueId, revenueTh, month], { removedLines })).attempts[0]?.title

  it('is tried where the file of the metric once had it', async () => {
    expect(await cause(line('aliases: [revenue, intake]'))).toBe('revenue: alias "intake" was missing')
  })

  it.each([
    ['nothing says what it means', undefined],
    ['another file had it', line('aliases: [intake]', 'kb/metrics/units.yaml')],
    ['two files had it', [...line('- intake'), ...line('- intake', 'kb/metrics/tax.yaml')]],
  ])('is not guessed where %s', async (_what, removedLines) => {
    expect(await cause(removedLines)).toBeUndefined()
  })
})

describe('a number that one case alone explains', () => {
  const snippet = 'kb/snippets/revenue.sql'
  const most = { ...revenueId, expectedSql: `${revenueId.expectedSql} AND units > 2` }

  it('goes to a person where nothing says it but that case', async () => {
    const { result } = await repair(warehouse, shop, [most])
    expect(result.accepted).toEqual([])
    expect(result.findings.get('revenue_id')?.cause).toContain('only one case supports 2')
  })

  it('comes back where the snippet once had it, and says since when', async () => {
    const removedLines = line('  AND units > 2', snippet)
    const { attempts, text } = await repair(warehouse, shop, [most], { removedLines })
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E1' }])
    expect(text(snippet)).toContain('AND units > 2')
    expect(attempts[0]?.reasoning).toContain(
      'commit 1a2b3c4 removed "AND units > 2" from kb/snippets/revenue.sql',
    )
  })
})
