import { describe, expect, it } from 'vitest'
import type { SqlCase } from '../../../../../../src/benchmark/case.js'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { caseOf, shop, shopWith } from '../../shop.js'

const warehouse = warehouseForTests()
const [metric, snippet] = ['kb/metrics/units.yaml', 'kb/snippets/units.sql']

function unitsOf(market: string, from: string, to: string, by = 'channel', n = 10): string {
  return `SELECT ${by} AS slice, sum(units) AS units FROM sales WHERE market = '${market}' AND day BETWEEN '${from}' AND '${to}' GROUP BY 1 ORDER BY 2 DESC LIMIT ${n}`
}

/** A case of May 2025, or of the days given, by a choice and as many rows. */
function caseBy(
  market: string,
  by: string,
  n: number,
  question: string,
  days: readonly [string, string] = may,
): SqlCase {
  return caseOf(market.toLowerCase(), question, unitsOf(market, ...days, by, n))
}

const may = ['2025-05-01', '2025-05-31'] as const
const november = ['2025-11-01', '2025-11-30'] as const
const august = ['2025-08-01', '2025-08-31'] as const

const byChannel = [
  caseBy('ID', 'channel', 2, 'units sold in ID in November 2025 by channel', november),
  caseBy('TH', 'channel', 2, 'units sold in TH in August 2025 by channel', august),
  caseBy('VN', 'status', 2, 'units sold in Vietnam in May 2025 by status'),
]
const good = shopWith({ [metric]: ['default: 10', 'default: 2'] })
const both = {
  ...good,
  [metric]: shop[metric]?.replace('default: 10', 'default: 1') ?? '',
  [snippet]: shop[snippet]?.replace('sum(units)', 'max(units)') ?? '',
}

describe('a wrong default and a wrong definition of one metric', () => {
  it('are repaired by one plan where no case names the parameter', async () => {
    const { attempts, text } = await repair(warehouse, both, byChannel)
    expect(attempts).toMatchObject([{ label: 'wrong_definition', outcome: 'accepted', grade: 'E2' }])
    expect(attempts[0]?.title).toBe('units: max(units) should be sum(units); the default of n is 2, not 1')
    expect(text(metric)).toBe(good[metric])
    expect(text(snippet)).toBe(good[snippet])
  })

  it('are repaired one after the other where cases name it', async () => {
    const top = [
      caseBy('SG', 'channel', 1, 'top 1 units sold in SG in May 2025 by channel'),
      caseBy('MY', 'status', 2, 'top 2 units sold in MY in May 2025 by status'),
    ]
    const { attempts, text } = await repair(warehouse, both, [...byChannel.slice(0, 2), ...top])
    expect(attempts.map(({ outcome, cases }) => [outcome, cases])).toEqual([
      ['accepted', ['sg', 'my']],
      ['accepted', ['id', 'th']],
    ])
    expect(text(metric)).toBe(good[metric])
    expect(text(snippet)).toBe(good[snippet])
  })

  it('are repaired where the default is a choice', async () => {
    const at = 'by: { type: choice, values: {'
    const clean = shopWith({ [metric]: [at, at.replace('choice,', 'choice, default: channel,')] })
    const faulty = {
      ...clean,
      [metric]: clean[metric]?.replace('default: channel', 'default: status') ?? '',
      [snippet]: clean[snippet]?.replace('sum(units)', 'sum(amount)') ?? '',
    }
    const cases = [
      caseOf('id', 'units sold in ID in November 2025', unitsOf('ID', '2025-11-01', '2025-11-30')),
      caseOf('th', 'units sold in TH in August 2025', unitsOf('TH', '2025-08-01', '2025-08-31')),
      caseOf('vn', 'units sold in Vietnam in May 2025', unitsOf('VN', '2025-05-01', '2025-05-31')),
    ]
    const { text } = await repair(warehouse, faulty, cases)
    expect(text(metric)).toBe(clean[metric])
    expect(text(snippet)).toBe(clean[snippet])
  })

  it('stay where one case alone shows them', async () => {
    const { result } = await repair(warehouse, both, byChannel.slice(0, 1))
    expect(result.accepted).toEqual([])
  })

  it('leave the default where the cases do not agree on it', async () => {
    const other = caseBy('VN', 'status', 3, 'units sold in VN in May 2025 by status')
    const { text } = await repair(
      warehouse,
      both,
      [byChannel[0], other].flatMap((one) => one ?? []),
    )
    expect(text(metric)).toBe(both[metric])
  })
})
