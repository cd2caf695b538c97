import { describe, expect, it } from 'vitest'
import type { Edit } from '../../../../../src/edit/edit-types.js'
import { repair, warehouseForTests } from '../repair-in-memory.js'
import { scripted } from '../scripted-proposer.js'
import { caseOf, revenueId, shop } from '../shop.js'

const warehouse = warehouseForTests()

describe('a new metric that a model writes', () => {
  const sql = (market: string, start: string, end: string): string =>
    `SELECT count(*) AS sales FROM sales WHERE market = '${market}' AND day BETWEEN '${start}' AND '${end}' AND status = 'cancelled'`
  const cases = [
    caseOf('c_id', 'cancelled baskets of ID in November 2025', sql('ID', '2025-11-01', '2025-11-30')),
    caseOf('c_th', 'TH cancelled baskets in Q1 2025', sql('TH', '2025-01-01', '2025-03-31')),
  ]
  const snippet = `SELECT count(*) AS sales FROM sales WHERE market = {{ market }} AND day BETWEEN {{ period.start }} AND {{ period.end }} AND status = 'cancelled'\n`

  async function repairWith(market: string) {
    const edits: readonly Edit[] = [
      { kind: 'create_snippet', path: 'kb/snippets/cancelled.sql', text: snippet },
      {
        kind: 'create_metric',
        path: 'kb/metrics/cancelled.yaml',
        text: `metric: cancelled\naliases: [cancelled baskets]\nsnippet: cancelled.sql\nparameters:\n  market: ${market}\n  period: { type: date_range }\n`,
      },
    ]
    const { attempts, result } = await repair(warehouse, shop, [...cases, revenueId], {
      rules: false,
      maxRetries: 1,
      proposer: scripted(() => edits),
    })
    return { attempts, cause: result.findings.get('c_id')?.cause }
  }

  it('is accepted with fewer values than others, and their words', async () => {
    const { attempts } = await repairWith('{ type: enum, values: { ID: [Indonesia], TH: [] } }')
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E2' }])
  })

  it.each([
    ['the words of another value', '{ type: enum, values: { ID: [Indonesia], TH: [], VN: [Thailand] } }'],
    ['a word of nobody', '{ type: enum, values: { ID: [Indonesia, Jakarta], TH: [] } }'],
    ['a code of nobody', '{ type: enum, values: { ID: [], TH: [], XX: [] } }'],
  ])('is refused with %s', async (_what, market) => {
    const { attempts, cause } = await repairWith(market)
    expect(attempts).toEqual([])
    expect(cause).toContain('with other words than the metrics that already have it')
  })

  it('is refused where it would answer questions that name no market', async () => {
    const { attempts, cause } = await repairWith('{ type: enum, values: [ID, TH], default: ID }')
    expect(attempts).toEqual([])
    expect(cause).toContain('market has the default ID, but every question names the value')
  })
})
