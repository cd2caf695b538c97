import { describe, expect, it } from 'vitest'
import { caseOf, repair, revenueId, revenueSql, revenueTh, shop, warehouseForTests } from './setting.js'

const warehouse = warehouseForTests()

const snippet = 'kb/snippets/revenue.sql'
const flipped = (market: string, start: string, end: string): string =>
  revenueSql(market, start, end).replace('is_test = 0', 'is_test = 1')
const changedId = { ...revenueId, expectedSql: flipped('ID', '2025-11-01', '2025-11-30') }
const formerly = (sql: string) => [{ sql, by: 'commit 1a2b3c4' }]

describe('a case whose expected query was changed alone', () => {
  it('goes to a person, who is told which commit did it', async () => {
    const formerQueries = new Map([[revenueId.id, formerly(revenueId.expectedSql)]])
    const { result, attempts } = await repair(warehouse, shop, [changedId], { formerQueries })
    expect(attempts).toEqual([])
    expect(result.findings.get(revenueId.id)).toMatchObject({
      label: 'suspect_oracle',
      cause:
        'commit 1a2b3c4 gave it another expected query; metric revenue says what it expected before, and no other case asks for the change',
    })
  })

  it('is followed where what it expected before was something else still', async () => {
    const formerQueries = new Map([[revenueId.id, formerly('SELECT count(*) FROM sales')]])
    const gross = { ...revenueId, expectedSql: revenueId.expectedSql.replace('(amount)', '(amount + tax)') }
    const { attempts } = await repair(warehouse, shop, [gross], { formerQueries })
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E1' }])
  })

  it('is no suspect where only its wording changed and the knowledge is what drifted', async () => {
    const reworded = { ...revenueId, expectedSql: revenueId.expectedSql.replace('SELECT sum', 'select SUM') }
    const formerQueries = new Map([[revenueId.id, formerly(revenueId.expectedSql)]])
    const drifted = { ...shop, [snippet]: shop[snippet]?.replace("  AND status = 'paid'\n", '') ?? '' }
    const { attempts } = await repair(warehouse, drifted, [reworded], { formerQueries })
    expect(attempts).toMatchObject([{ outcome: 'accepted' }])
  })
})

it('a change that two cases ask for is a new definition', async () => {
  const second = caseOf('revenue_th', revenueTh.question, flipped('TH', '2025-08-01', '2025-08-31'))
  const formerQueries = new Map([
    [revenueId.id, formerly(revenueId.expectedSql)],
    [second.id, formerly(revenueTh.expectedSql)],
  ])
  const { attempts } = await repair(warehouse, shop, [changedId, second], { formerQueries })
  expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E2' }])
})
