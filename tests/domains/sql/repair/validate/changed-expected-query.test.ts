import { describe, expect, it } from 'vitest'
import type { History, PreviousQuery } from '../../../../../src/domains/sql/repair/model/knowledge-history.js'
import { noHistory, repair, warehouseForTests } from '../repair-in-memory.js'
import { caseOf, revenueId, revenueSql, revenueTh, shop } from '../shop.js'

const warehouse = warehouseForTests()

const snippet = 'kb/snippets/revenue.sql'
const flipped = (market: string, start: string, end: string): string =>
  revenueSql(market, start, end).replace('is_test = 0', 'is_test = 1')
const changedId = { ...revenueId, expectedSql: flipped('ID', '2025-11-01', '2025-11-30') }
const previously = (sql: string, question = revenueId.question) => [{ question, sql, by: 'commit 1a2b3c4' }]
const historyOf = (
  queries: ReadonlyMap<string, readonly PreviousQuery[]>,
  texts: readonly string[] = [],
): History => ({
  ...noHistory,
  queriesOf: async ({ id }) => queries.get(id) ?? [],
  versionsOf: async () => texts.map((text) => ({ text, by: 'commit 1a2b3c4' })),
})

describe('a case whose expected query was changed alone', () => {
  it('goes to a person, with the commit that changed it', async () => {
    const previousQueries = new Map([[revenueId.id, previously(revenueId.expectedSql)]])
    const { result, attempts } = await repair(warehouse, shop, [changedId], {
      history: historyOf(previousQueries),
    })
    expect(attempts).toEqual([])
    expect(result.findings.get(revenueId.id)).toMatchObject({
      label: 'suspect_oracle',
      cause:
        'commit 1a2b3c4 modified its expected query; metric revenue matches the previous one, and no other case supports the change',
    })
  })

  const drifted = { ...shop, [snippet]: shop[snippet]?.replace("  AND status = 'paid'\n", '') ?? '' }
  const gross = (sql: string): string => sql.replace('(amount)', '(amount + tax)')
  const changedToo = { ...revenueId, expectedSql: gross(revenueId.expectedSql) }
  const queries = new Map([[revenueId.id, previously(revenueId.expectedSql)]])

  it('goes to a person, too, where the knowledge drifted beside', async () => {
    const { result, attempts } = await repair(warehouse, drifted, [changedToo], {
      history: historyOf(queries),
    })
    expect(attempts).toEqual([])
    expect(result.findings.get(revenueId.id)).toMatchObject({
      label: 'suspect_oracle',
      cause: expect.stringContaining('which metric revenue never matched'),
    })
  })

  it('is followed where the knowledge once said what it expects now, in the words that it had', async () => {
    const once = gross(shop[snippet] ?? '').replace("status = 'paid'", "status='paid'")
    const { attempts, text } = await repair(warehouse, drifted, [changedToo], {
      history: historyOf(queries, ['', 'SELECT 1', once]),
    })
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E1' }])
    expect(text(snippet)).toBe(once)
  })

  describe('together with the snippet, which was changed again since', () => {
    const once = gross(shop[snippet] ?? '')
    const now = shop[snippet] ?? ''
    const history = (then: string, ...texts: string[]): History => ({
      ...historyOf(queries, texts),
      textAfter: async () => then,
    })

    it('is followed', async () => {
      const { attempts, text } = await repair(warehouse, shop, [changedToo], {
        history: history(once, once, now),
      })
      expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E1' }])
      expect(text(snippet)).toBe(once)
    })

    it.each([
      ['before it was', now, [once]],
      ['before it was, and not for the first time', now, [once, now]],
      ['to something else', 'SELECT 1', ['SELECT 1', once]],
    ])('is not, where the snippet was changed %s', async (_when, then, texts) => {
      const { attempts } = await repair(warehouse, shop, [changedToo], { history: history(then, ...texts) })
      expect(attempts).toEqual([])
    })
  })

  it('leaves what was written since in the line that changes', async () => {
    const since = drifted[snippet]?.replace('is_test = 0', 'is_test = 0 -- agreed in May') ?? ''
    const then = (shop[snippet] ?? '').replace(
      "  AND status = 'paid'\n  AND is_test = 0",
      "  AND status = 'paid' AND is_test = 0",
    )
    const { text } = await repair(warehouse, { ...shop, [snippet]: since }, [revenueId], {
      history: historyOf(new Map(), [then]),
    })
    expect(text(snippet)).toContain('-- agreed in May')
    expect(text(snippet)).toContain("status = 'paid'")
  })

  it('is reported with the passing cases that it contradicts', async () => {
    const { result } = await repair(warehouse, shop, [changedId, revenueTh], { history: historyOf(queries) })
    expect(result.findings.get(revenueId.id)).toMatchObject({
      label: 'suspect_oracle',
      cause: expect.stringMatching(
        /^its expected query contradicts passing case revenue_th of metric revenue; commit 1a2b3c4 modified its expected query/,
      ),
    })
  })

  it('is not suspect where it asks another question', async () => {
    const other = new Map([[revenueId.id, previously(revenueId.expectedSql, 'TH revenue in May 2025')]])
    const { attempts } = await repair(warehouse, drifted, [changedToo], { history: historyOf(other) })
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E1' }])
  })

  it('is suspect where its question was reworded as well', async () => {
    const other = new Map([
      [revenueId.id, previously(revenueId.expectedSql, 'Turnover of ID in November 2025')],
    ])
    const { attempts } = await repair(warehouse, shop, [changedId], { history: historyOf(other) })
    expect(attempts).toEqual([])
  })

  it('is not suspect where only its wording changed and the knowledge is what drifted', async () => {
    const reworded = { ...revenueId, expectedSql: revenueId.expectedSql.replace('SELECT sum', 'select SUM') }
    const previousQueries = new Map([[revenueId.id, previously(revenueId.expectedSql)]])
    const { attempts } = await repair(warehouse, drifted, [reworded], { history: historyOf(previousQueries) })
    expect(attempts).toMatchObject([{ outcome: 'accepted' }])
  })
})

describe('a change that two cases ask for', () => {
  const second = caseOf('revenue_th', revenueTh.question, flipped('TH', '2025-08-01', '2025-08-31'))
  const queries = (by: string, thQuery = revenueTh.expectedSql) =>
    historyOf(
      new Map([
        [revenueId.id, previously(revenueId.expectedSql)],
        [second.id, [{ question: revenueTh.question, sql: thQuery, by }]],
      ]),
    )

  it('is a new definition, and the report says that one commit changed both', async () => {
    const history: History = { ...queries('commit 1a2b3c4'), dateOf: async () => '2025-11-03' }
    const { attempts } = await repair(warehouse, shop, [changedId, second], { history })
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E2' }])
    expect(attempts[0]?.reasoning).toMatch(
      /; the expected queries of all 2 cases were changed together by commit 1a2b3c4 \(2025-11-03\)$/,
    )
  })

  it.each([
    ['were changed on their own', queries('commit 9f8e7d6')],
    [
      'were changed in layout only',
      queries('commit 1a2b3c4', second.expectedSql.replace('SELECT', 'select')),
    ],
    ['expected it from the start', historyOf(new Map([[revenueId.id, previously(revenueId.expectedSql)]]))],
  ])('is not reported as one where they %s', async (_what, history) => {
    const { attempts } = await repair(warehouse, shop, [changedId, second], { history })
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E2' }])
    expect(attempts[0]?.reasoning).not.toContain('together')
  })
})
