import { describe, expect, it } from 'vitest'
import type { SqlCase } from '../../../src/benchmark/case.js'
import type { Edit } from '../../../src/edit/edit.js'
import { scripted } from '../scripted-proposer.js'
import {
  caseOf,
  repair,
  revenueId,
  revenueSql,
  revenueTh,
  shop,
  shopWith,
  warehouseForTests,
} from '../setting.js'

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

  it('may have fewer values than others, and their words', async () => {
    const { attempts } = await repairWith('{ type: enum, values: { ID: [Indonesia], TH: [] } }')
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E2' }])
  })

  it.each([
    ['the words of another value', '{ type: enum, values: { ID: [Indonesia], TH: [], VN: [Thailand] } }'],
    ['a word of nobody', '{ type: enum, values: { ID: [Indonesia, Jakarta], TH: [] } }'],
    ['a code of nobody', '{ type: enum, values: { ID: [], TH: [], XX: [] } }'],
  ])('may not have %s', async (_what, market) => {
    const { attempts, cause } = await repairWith(market)
    expect(attempts).toEqual([])
    expect(cause).toContain('with other words than in the metrics that have it already')
  })

  it('may not answer questions that do not say for what', async () => {
    const { attempts, cause } = await repairWith('{ type: enum, values: [ID, TH], default: ID }')
    expect(attempts).toEqual([])
    expect(cause).toContain('market has the default ID, but every question names the value')
  })
})

describe('a bound of a period', () => {
  const revenue = 'kb/snippets/revenue.sql'
  const range = 'day BETWEEN {{ period.start }} AND {{ period.end }}'
  const stale = shopWith({ [revenue]: ['day BETWEEN', 'channel BETWEEN'] })
  const days = ['2025-11-12', '2025-11-13'] as const
  const cases = days.map((day, at) => caseOf(`day_${at}`, `ID revenue on ${day}`, revenueSql('ID', day, day)))

  it.each([
    'day = {{ period.start }}',
    'day = {{ period.end }}',
    'day IN ({{ period.start }}, {{ period.end }})',
  ])('stays, where the expected queries have it and their questions are of one day: %s', async (instead) => {
    const { attempts, cause } = await repair(warehouse, stale, cases, {
      rules: false,
      maxRetries: 1,
      proposer: scripted(() => [
        { kind: 'edit_snippet', path: revenue, search: range.replace('day', 'channel'), replace: instead },
      ]),
    }).then(({ attempts: made, result }) => ({
      attempts: made,
      cause: result.findings.get('day_0')?.cause,
    }))
    expect(attempts).toEqual([])
    expect(cause).toContain('day of period, which the expected query has')
  })

  it('goes where the expected queries do without it', async () => {
    const until = (end: string): string => revenueSql('ID', '', end).replace("BETWEEN '' AND", '<=')
    const before = [
      caseOf('a', 'ID revenue in November 2025', until('2025-11-30')),
      caseOf('b', 'ID revenue in August 2025', until('2025-08-31')),
    ]
    const { attempts } = await repair(warehouse, shop, before, {
      rules: false,
      maxRetries: 1,
      proposer: scripted(() => [
        { kind: 'edit_snippet', path: revenue, search: range, replace: 'day <= {{ period.end }}' },
      ]),
    })
    expect(attempts).toMatchObject([{ outcome: 'accepted' }])
  })
})

describe('a snippet that two metrics have', () => {
  const revenue = 'kb/snippets/revenue.sql'
  const files = {
    ...shopWith({ [revenue]: ["  AND status = 'paid'\n", ''] }),
    'kb/metrics/base.yaml': (shop['kb/metrics/revenue.yaml'] ?? '')
      .replace('metric: revenue', 'metric: base')
      .replace('[revenue, turnover]', '[fee base]'),
  }
  const warned = async (cases: readonly SqlCase[]): Promise<readonly string[] | undefined> => {
    const { attempts } = await repair(warehouse, files, cases)
    expect(attempts).toMatchObject([{ outcome: 'accepted' }])
    return attempts[0]?.evidence?.warnings
  }

  it('is told to change for the one that no case asks for', async () => {
    expect(await warned([revenueId, revenueTh])).toContain(
      'kb/metrics/base.yaml also uses revenue.sql, and no case tests base',
    )
    const asked = {
      ...revenueTh,
      id: 'base_th',
      question: revenueTh.question.replace('turnover', 'fee base'),
    }
    expect(await warned([revenueId, revenueTh, asked])).toBeUndefined()
  })
})
