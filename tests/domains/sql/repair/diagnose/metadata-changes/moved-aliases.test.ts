import { describe, expect, it } from 'vitest'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { caseOf, revenueId, shopWith, taxId, taxVn } from '../../shop.js'

const warehouse = warehouseForTests()
const [revenue, tax] = ['kb/metrics/revenue.yaml', 'kb/metrics/tax.yaml']
const moved = shopWith({
  [revenue]: ['[revenue, turnover]', '[turnover, sales revenue]'],
  [tax]: ['[tax]', '[tax, revenue]'],
})

/** What revenue says, in a structure of its own. */
const inOtherWords = (market: string, month: string): string =>
  `SELECT (SELECT sum(amount) FROM sales WHERE market = '${market}' AND day LIKE '2025-${month}-%' AND status = 'paid') - (SELECT sum(amount) FROM sales WHERE market = '${market}' AND day LIKE '2025-${month}-%' AND status = 'paid' AND is_test = 1) AS revenue`
const asked = caseOf('asked', 'ID revenue in November 2025', inOtherWords('ID', '11'), {
  compare: { policy: 'results' },
})
const given = (text: (path: string) => string | undefined) => [text(revenue), text(tax)].map(aliasesOf)
const aliasesOf = (text: string | undefined) => /aliases: (.*)/.exec(text ?? '')?.[1]

describe('an alias of a metric that is at another one, where the case says the same in another structure', () => {
  it('goes back to the metric, as running both shows', async () => {
    const { attempts, text } = await repair(warehouse, moved, [asked, taxId])
    expect(attempts).toMatchObject([
      {
        title: '"revenue" means revenue, not tax',
        label: 'retrieval_miss',
        outcome: 'accepted',
        grade: 'E1',
      },
    ])
    expect(given(text)).toEqual(['[turnover, sales revenue, revenue]', '[tax]'])
  })

  it('stays where running both shows that the metric is not meant', async () => {
    const other = { ...asked, expectedSql: asked.expectedSql.replaceAll('sum(amount)', 'sum(units)') }
    const { result, text } = await repair(warehouse, moved, [other, taxId])
    expect(result.accepted).toEqual([])
    expect(given(text)).toEqual(given((path) => moved[path]))
  })

  it('stays where no case of the other metric passes: that may be what is wrong', async () => {
    const { attempts } = await repair(warehouse, moved, [asked])
    expect(attempts.map(({ label }) => label)).not.toContain('retrieval_miss')
  })

  it('stays where it is a word of neither', async () => {
    const files = shopWith({ [tax]: ['[tax]', '[tax, duties]'] })
    const duties = { ...asked, question: 'ID duties in November 2025' }
    const { attempts } = await repair(warehouse, files, [duties, taxVn, revenueId])
    expect(attempts.map(({ label }) => label)).not.toContain('retrieval_miss')
  })
})
