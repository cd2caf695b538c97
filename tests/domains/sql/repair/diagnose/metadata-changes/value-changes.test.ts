import { describe, expect, it } from 'vitest'
import { noHistory, repair, warehouseForTests } from '../../repair-in-memory.js'
import { caseOf, revenueId, revenueSql, revenueTh, shopWith } from '../../shop.js'

const warehouse = warehouseForTests()

const path = 'kb/metrics/revenue.yaml'
const without = shopWith({ [path]: [' TH: [Thailand],', ''] })
const inThailand = (market: string) =>
  caseOf('revenue_th', `revenue of ${market} in August 2025`, revenueSql('TH', '2025-08-01', '2025-08-31'))

describe('a value that comes back', () => {
  it.each(['TH', 'Thailand'])(
    'has the words that other metrics have for it, asked for as %s',
    async (market) => {
      const { attempts, text } = await repair(warehouse, without, [revenueId, inThailand(market)])
      expect(attempts).toMatchObject([{ outcome: 'accepted' }])
      expect(text(path)).toContain('TH: [Thailand]')
    },
  )

  it('has the words that its own file once had', async () => {
    const removedLines = [
      { path, text: "  market: { values: { TH: [Siam, 'Thai market'], PH: [] } }", by: 'commit 1a2b3c4' },
    ]
    const { text } = await repair(warehouse, without, [inThailand('TH')], { removedLines })
    expect(text(path)).toContain('TH: [Siam, Thai market]')
  })

  it('has the words that its file once had in lines of their own, or behind an expression', async () => {
    const taken = ['      "TH":', "        - 'Siam' # of old", '        - Thailand']
    const removedLines = taken.map((text) => ({ path, text, by: 'commit 1a2b3c4' }))
    const asked = await repair(warehouse, without, [inThailand('TH')], { removedLines })
    expect(asked.text(path)).toContain('TH: [Siam, Thailand]')
    const units = 'kb/metrics/units.yaml'
    const withoutChannel = shopWith({ [units]: ['channel: { sql: channel, aliases: [by channel] }, ', ''] })
    const byChannel = caseOf(
      'a',
      'ID units sold by channel in November 2025',
      "SELECT channel, sum(units) FROM sales WHERE market = 'ID' AND day BETWEEN '2025-11-01' AND '2025-11-30' GROUP BY channel ORDER BY 2 DESC LIMIT 10",
    )
    const had = 'channel: { sql: channel, aliases: [per channel, by channel] }'
    const back = await repair(warehouse, withoutChannel, [byChannel], {
      removedLines: [{ path: units, text: had, by: 'commit 1a2b3c4' }],
    })
    expect(back.text(units)).toContain(had)
  })

  it('keeps the word of the question beside them', async () => {
    const removedLines = [{ path, text: '  TH: [Siam]', by: 'commit 1a2b3c4' }]
    const { text } = await repair(warehouse, without, [inThailand('Thailand')], {
      removedLines,
    })
    expect(text(path)).toContain('TH: [Thailand, Siam]')
  })

  it('does without a word that means something else to the metric', async () => {
    const taken = shopWith({ [path]: ['TH: [Thailand], PH: [Philippines]', 'PH: [Philippines, Thailand]'] })
    const { text } = await repair(warehouse, taken, [inThailand('TH')])
    expect(text(path)).toContain('TH: []')
  })
})

describe('a value that the question names by more words than its metric knows', () => {
  const world = (words: string) => shopWith({ [path]: ['TH: [Thailand]', `TH: [${words}]`] })
  const greater = caseOf(
    'greater',
    'revenue in greater Thailand in August 2025',
    revenueSql('TH', '2025-08-01', '2025-08-31'),
  )
  const removedLines = [{ path, text: '  TH: [Thailand, greater Thailand]', by: 'commit 1a2b3c4' }]

  it('has them again where its file once had them, and no other entry gets them', async () => {
    const { attempts, text } = await repair(warehouse, world('Thailand'), [greater, revenueId], {
      removedLines,
    })
    expect(attempts).toMatchObject([
      { title: 'revenue: "greater Thailand" did not mean market TH', outcome: 'accepted' },
    ])
    expect(text(path)).toContain('TH: [Thailand, greater Thailand]')
    expect(text(path)).toContain('aliases: [revenue, turnover]')
  })

  it('has them again where most other metrics have them', async () => {
    const everywhere = ['tax', 'units'].map((name) => `kb/metrics/${name}.yaml`)
    const files = shopWith(
      Object.fromEntries(
        everywhere.map((each) => [each, ['TH: [Thailand]', 'TH: [Thailand, greater Thailand]'] as const]),
      ),
    )
    const { attempts, text } = await repair(warehouse, files, [greater, revenueId])
    expect(attempts).toMatchObject([{ outcome: 'accepted' }])
    expect(text(path)).toContain('TH: [Thailand, greater Thailand]')
  })

  it('is one of fewer words where the other is the name of its parameter', async () => {
    const removedLines = [{ path, text: '  TH: [Thailand, Thai]', by: 'commit 1a2b3c4' }]
    const thai = caseOf('thai', 'revenue in the Thai market in August 2025', greater.expectedSql)
    const files = shopWith({ [path]: [' TH: [Thailand],', ''] })
    for (const options of [{ removedLines }, {}]) {
      const { text, result } = await repair(warehouse, files, [thai, inThailand('TH')], options)
      expect(text(path), result.findings.get('thai')?.cause).toMatch(
        /TH: \[Thailand, Thai\]|TH: \[Thai, Thailand\]/,
      )
    }
  })

  it('goes to a person where nobody said so', async () => {
    const { result } = await repair(warehouse, world('Thailand'), [greater, revenueId])
    expect(result.accepted).toEqual([])
  })
})

describe('what a file once had', () => {
  it('comes back to its place, as it was written there', async () => {
    const previous = `metric: revenue
# What people call it
aliases:
  - 'turnover' # finance
  - revenue
snippet: revenue.sql
parameters:
  market: { type: enum, values: { ID: ["Indonesia"], "TH": [Thailand, Siam], SG: [Singapore] } }
  period: { type: date_range }
`
    for (const part of ["  - 'turnover' # finance\n", '"TH": [Thailand, Siam], ']) {
      const [today, removedLines] = [previous.replace(part, ''), previous.split('\n')]
      const history = { ...noHistory, versionsOf: async () => [{ text: previous, by: 'commit 1a2b3c4' }] }
      const { text } = await repair(warehouse, shopWith({ [path]: today }), [revenueId, revenueTh], {
        removedLines: removedLines.map((line) => ({ path, text: line, by: 'commit 1a2b3c4' })),
        history,
      })
      expect(text(path)).toBe(previous)
    }
  })
})
