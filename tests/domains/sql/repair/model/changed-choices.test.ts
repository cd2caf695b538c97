import { describe, expect, it } from 'vitest'
import type { Edit } from '../../../../../src/edit/edit-types.js'
import { repair, warehouseForTests } from '../repair-in-memory.js'
import { scripted } from '../scripted-proposer.js'
import { caseOf, shopWith } from '../shop.js'

const warehouse = warehouseForTests()

const units = 'kb/metrics/units.yaml'
const last = '(SELECT max(market) FROM sales)'
/** Slices by channel are made by status, and the default has no words. */
const files = shopWith({
  [units]: [
    'by: { type: choice, values: { channel: { sql: channel, aliases: [by channel] }, status: { sql: status, aliases: [by status] } } }',
    'by: { type: choice, default: all, values: { all: { sql: "\'all\'" }, channel: { sql: status, aliases: [by channel] }, status: { sql: status, aliases: [by status] } } }',
  ],
})
const sql = (market: string, month: string, slice = 'channel'): string =>
  `SELECT ${slice} AS slice, sum(units) AS units FROM sales WHERE market = '${market}' AND day BETWEEN '2025-${month}-01' AND '2025-${month}-30' GROUP BY 1 ORDER BY 2 DESC LIMIT 10`
const byRows = { compare: { policy: 'results' } } as const
const cases = [
  caseOf('units_id', 'ID units sold by channel in November 2025', sql('ID', '11'), byRows),
  caseOf('units_th', 'TH units sold by channel in September 2025', sql('TH', '09'), byRows),
]

async function repairWith(expression: string) {
  const edit: Edit = {
    kind: 'edit_metric',
    path: units,
    entry: 'metric:units',
    action: 'set',
    at: ['parameters', 'by', 'values', 'channel', 'sql'],
    expected: 'status',
    value: expression,
  }
  const { attempts, result, text } = await repair(warehouse, files, cases, {
    rules: false,
    maxRetries: 1,
    proposer: scripted(() => [edit]),
  })
  const written = /channel: \{ sql: ("[^"]*"|[^,]*),/.exec(text(units) ?? '')?.[1]
  return { attempts, written, cause: result.findings.get('units_id')?.cause }
}

describe('the expression of a choice beside one without words', () => {
  it('is written where it is right, whether or not another choice has words', async () => {
    const { attempts, written } = await repairWith('channel')
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E2' }])
    expect(written).toBe('channel')
  })

  it.each(['CASE WHEN day > CURRENT_DATE THEN day ELSE channel END', 'iif(random() IS NULL, day, channel)'])(
    'is refused where it reads something from outside: %s',
    async (expression) => {
      const { attempts, cause } = await repairWith(expression)
      expect(attempts).toEqual([])
      expect(cause).toContain('is neither in the data nor in the question')
    },
  )

  it.each([`CASE WHEN market = ${last} THEN day ELSE channel END`, `iif(market = ${last}, day, channel)`])(
    'loses a branch that its cases do without: %s',
    async (expression) => {
      const { attempts, written } = await repairWith(expression)
      expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E2' }])
      expect(written).toBe('channel')
    },
  )
})
