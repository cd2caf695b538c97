import { describe, expect, it } from 'vitest'
import type { History } from '../../../../../src/domains/sql/repair/model/knowledge-history.js'
import { noHistory, repair, warehouseForTests } from '../repair-in-memory.js'
import { caseOf, revenueId, revenueTh, shop, shopWith } from '../shop.js'

const warehouse = warehouseForTests()

const pace = 'kb/snippets/pace.sql'
const files = {
  ...shop,
  'kb/metrics/pace.yaml': (shop['kb/metrics/revenue.yaml'] ?? '')
    .replace('metric: revenue', 'metric: pace')
    .replace('[revenue, turnover]', '[sales pace]')
    .replace('revenue.sql', 'pace.sql'),
  [pace]: `SELECT sum(amount) / 100.0 AS pace
FROM sales
WHERE market = {{ market }}
  AND day BETWEEN {{ period.start }} AND {{ period.end }}
  AND units > 2
`,
}
const paceSql = (
  market: string,
  month: string,
  days: number,
  more = 'units > 2',
  amount = 'sum(amount) / 100.0',
) =>
  `SELECT ${amount} AS pace FROM sales WHERE market = '${market}' AND day BETWEEN '2025-${month}-01' AND '2025-${month}-${days}' AND ${more}`
const paceId = (more?: string, amount?: string) =>
  caseOf('pace_id', 'ID sales pace in November 2025', paceSql('ID', '11', 30, more, amount))
const paceTh = (more?: string) =>
  caseOf('pace_th', 'sales pace of Thailand in August 2025', paceSql('TH', '08', 31, more))

describe('what one case alone says', () => {
  it('a number is not followed: its twins have it from the same case', async () => {
    const { result, text } = await repair(warehouse, files, [paceId('units > 4'), revenueId])
    expect(result.accepted).toEqual([])
    expect(text(pace)).toBe(files[pace])
    expect(result.findings.get('pace_id')?.cause).toContain(
      'only one case supports 4 in kb/snippets/pace.sql',
    )
  })

  it('a number that two cases share is followed', async () => {
    const { attempts } = await repair(warehouse, files, [paceId('units > 4'), paceTh('units > 4'), revenueId])
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E2' }])
  })

  it('a number that a unit explains is followed: cents, flags', async () => {
    const cents = { ...files, [pace]: files[pace].replace(' / 100.0', '') }
    expect((await repair(warehouse, cents, [paceId(), revenueId])).attempts).toMatchObject([{ grade: 'E1' }])
    const tests = shopWith({ 'kb/snippets/revenue.sql': ['  AND is_test = 0\n', ''] })
    expect((await repair(warehouse, tests, [revenueId])).attempts).toMatchObject([{ grade: 'E1' }])
  })

  it('a factor that is no unit is not followed', async () => {
    const outlier = paceId('units > 2', 'sum(amount) / 101.0')
    const { result } = await repair(warehouse, files, [outlier, revenueId])
    expect(result.accepted).toEqual([])
  })

  it('a text in place of one that other snippets share is not followed', async () => {
    const outlier = { ...revenueId, expectedSql: revenueId.expectedSql.replace("'paid'", "'cancelled'") }
    const { result } = await repair(warehouse, shop, [outlier])
    expect(result.accepted).toEqual([])
    expect(result.findings.get('revenue_id')?.cause).toContain("only one case supports 'cancelled'")
  })

  describe('a new text', () => {
    const web = (testCase: typeof revenueId) => ({
      ...testCase,
      expectedSql: `${testCase.expectedSql} AND channel = 'web'`,
    })
    const elsewhere = caseOf('web_tax', 'web tax in ID', "SELECT sum(tax) FROM sales WHERE channel = 'web'")

    it('is not followed: the expected query may have been written for that case alone', async () => {
      const { result, text } = await repair(warehouse, shop, [web(revenueId)])
      expect(text('kb/snippets/revenue.sql')).toBe(shop['kb/snippets/revenue.sql'])
      expect(result.findings.get('revenue_id')?.cause).toContain("only one case supports 'web'")
    })

    it.each([
      ['a note', { ...shop, 'kb/notes/n.md': "Revenue is `channel = 'web'` only.\n" }, [web(revenueId)]],
      ['another case', shop, [web(revenueId), elsewhere]],
      ['a second case of the metric', shop, [web(revenueId), web(revenueTh)]],
      [
        'another snippet',
        shopWith({ 'kb/snippets/tax.sql': ['is_test = 0', "is_test = 0\n  AND channel = 'web'"] }),
        [web(revenueId)],
      ],
    ])('is where %s knows it', async (_, knowledge, cases) => {
      const { text } = await repair(warehouse, knowledge, cases)
      expect(text('kb/snippets/revenue.sql')).toContain("AND channel = 'web'")
    })
  })

  it('a text that other snippets share is followed, in place of one that they do not share', async () => {
    const typo = shopWith({ 'kb/snippets/revenue.sql': ["'paid'", "'payed'"] })
    const { attempts } = await repair(warehouse, typo, [revenueTh])
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E1' }])
  })
})

describe('a definition that another metric has already', () => {
  const named = (name: string) => ({
    [`kb/metrics/${name}.yaml`]: (shop['kb/metrics/revenue.yaml'] ?? '')
      .replace('metric: revenue', `metric: ${name}`)
      .replace(/aliases:.*/, `aliases: [${name}]`)
      .replace('revenue.sql', `${name}.sql`),
    [`kb/snippets/${name}.sql`]: shop['kb/snippets/revenue.sql'] ?? '',
  })
  const drifted = shopWith({ 'kb/snippets/revenue.sql': ["  AND status = 'paid'\n", ''] })
  const outcome = async (files: Readonly<Record<string, string>>, history?: History) => {
    const { result } = await repair(warehouse, { ...drifted, ...files }, [revenueId], { history })
    return result.findings.get('revenue_id')?.repairId === undefined
      ? result.findings.get('revenue_id')?.cause
      : 'repaired'
  }

  it('is not followed for one case alone', async () => {
    expect(await outcome(named('paid'))).toContain(
      'only one case supports the change, and metric paid already covers it',
    )
  })

  it('comes back where its file once said so, whichever metrics say the same', async () => {
    const path = 'kb/snippets/revenue.sql'
    const textsOf = async (of: string) =>
      of === path ? [{ text: shop[path] ?? '', by: 'commit 1a2b3c4' }] : []
    expect(await outcome(named('paid'), { ...noHistory, versionsOf: textsOf })).toBe('repaired')
  })

  it('is followed where several metrics have it: the one that differs has drifted', async () => {
    expect(await outcome({ ...named('paid'), ...named('settled') })).toBe('repaired')
  })
})
