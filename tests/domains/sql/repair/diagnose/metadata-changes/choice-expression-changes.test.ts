import { describe, expect, it } from 'vitest'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { caseOf, shop, shopWith } from '../../shop.js'

const warehouse = warehouseForTests()

const units = 'kb/metrics/units.yaml'

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
