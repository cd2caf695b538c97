import { describe, expect, it } from 'vitest'
import { caseOf, repair, revenueId, revenueSql, shopWith, warehouseForTests } from './setting.js'

const warehouse = warehouseForTests()

const path = 'kb/metrics/revenue.yaml'
const without = shopWith({ [path]: [' TH: [Thailand],', ''] })
const inThailand = (market: string) =>
  caseOf('revenue_th', `revenue of ${market} in August 2025`, revenueSql('TH', '2025-08-01', '2025-08-31'))

describe('a value that is given back', () => {
  it.each(['TH', 'Thailand'])(
    'has the words that other metrics have for it, asked for as %s',
    async (market) => {
      const { attempts, text } = await repair(warehouse, without, [revenueId, inThailand(market)])
      expect(attempts).toMatchObject([{ outcome: 'accepted' }])
      expect(text(path)).toContain('TH: [Thailand]')
    },
  )

  it('has the words that its own file once had', async () => {
    const formerLines = [
      { path, text: "  market: { values: { TH: [Siam, 'Thai market'], PH: [] } }", by: 'commit 1a2b3c4' },
    ]
    const { text } = await repair(warehouse, without, [inThailand('TH')], { formerLines })
    expect(text(path)).toContain('TH: [Siam, Thai market]')
  })

  it('keeps the word of the question beside them', async () => {
    const formerLines = [{ path, text: '  TH: [Siam]', by: 'commit 1a2b3c4' }]
    const { text } = await repair(warehouse, without, [inThailand('Thailand')], { formerLines })
    expect(text(path)).toContain('TH: [Thailand, Siam]')
  })

  it('does without a word that means something else to the metric', async () => {
    const taken = shopWith({ [path]: ['TH: [Thailand], PH: [Philippines]', 'PH: [Philippines, Thailand]'] })
    const { text } = await repair(warehouse, taken, [inThailand('TH')])
    expect(text(path)).toContain('TH: []')
  })
})
