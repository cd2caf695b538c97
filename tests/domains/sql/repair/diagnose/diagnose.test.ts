import { describe, expect, it } from 'vitest'
import type { SqlCase } from '../../../../../src/benchmark/case.js'
import { diagnose } from '../../../../../src/domains/sql/repair/diagnose/diagnose.js'
import type { Diagnosis } from '../../../../../src/domains/sql/repair/model/sql-repair-types.js'
import { snapshotOf } from '../../../../kb/knowledge-files.js'
import { contextOf, evaluatorOf, repair, warehouseForTests } from '../repair-in-memory.js'
import { caseOf, revenueId, revenueSql, revenueTh, shop, shopWith } from '../shop.js'

const warehouse = warehouseForTests()

async function diagnosis(files: Readonly<Record<string, string>>, testCase: SqlCase): Promise<Diagnosis> {
  const snapshot = snapshotOf(files)
  const evaluation = await evaluatorOf(warehouse).evaluate(testCase, snapshot)
  return diagnose(evaluation, snapshot, contextOf(warehouse))
}

const snippet = 'kb/snippets/revenue.sql'
const metric = 'kb/metrics/revenue.yaml'

describe('diagnose', () => {
  it('names a merge conflict that was left in a snippet', async () => {
    const sides = "<<<<<<< HEAD\n  AND status = 'paid'\n=======\n  AND status = 'new'\n>>>>>>> theirs\n"
    const files = shopWith({ [snippet]: ["  AND status = 'paid'\n", sides] })
    expect((await diagnosis(files, revenueId)).cause).toBe(
      'kb/snippets/revenue.sql:5: a merge conflict was left in the file',
    )
  })

  it('finds a wrong definition, one cause for all cases of the metric', async () => {
    const files = shopWith({ [snippet]: ["  AND status = 'paid'\n", ''] })
    const found = [await diagnosis(files, revenueId), await diagnosis(files, revenueTh)]
    expect(found).toMatchObject(
      Array(2).fill({
        label: 'wrong_definition',
        subject: 'metric revenue',
        cluster: 'definition:metric:revenue',
        cause: 'the snippet of revenue does not match the expected query',
      }),
    )
  })

  it('says which days a relative period was interpreted as', async () => {
    const sql = revenueSql('ID', '2025-12-24', '2025-12-30')
    const lastWeek = caseOf('last', 'ID revenue in the last 7 days', sql)
    expect((await diagnosis(shop, lastWeek)).cause).toMatch(
      /; "in the last 7 days" was interpreted as 2025-12-25 to 2025-12-31$/,
    )
  })

  it('finds a missing alias, named by the words of the question', async () => {
    const files = shopWith({ [metric]: ['[revenue, turnover]', '[revenue]'] })
    expect(await diagnosis(files, revenueTh)).toMatchObject({
      label: 'missing_alias',
      subject: 'metric revenue',
      cause: 'revenue: alias "turnover" was missing',
    })
  })

  it('finds a missing value', async () => {
    const files = shopWith({ [metric]: ['TH: [Thailand], ', ''] })
    expect(await diagnosis(files, revenueTh)).toMatchObject({
      label: 'missing_value',
      cause: 'revenue: market had no value TH',
    })
  })

  it('finds that the words lead to another metric', async () => {
    const files = shopWith({
      [metric]: ['[revenue, turnover]', '[revenue]'],
      'kb/metrics/tax.yaml': ['aliases: [tax]', 'aliases: [tax, turnover]'],
    })
    expect(await diagnosis(files, revenueTh)).toMatchObject({
      label: 'retrieval_miss',
      cause: '"turnover" means revenue, not tax',
    })
  })

  it('says that no metric was found where none says what is expected', async () => {
    const asked = caseOf('x', 'ID footfall in November 2025', 'SELECT count(*) FROM visits')
    expect(await diagnosis(shop, asked)).toMatchObject({
      label: 'missing_definition',
      cluster: undefined,
      cause: 'no metric for: footfall; of no metric is the query provably the expected one',
    })
  })

  it('reports the file where the metric cannot be used', async () => {
    const broken = shopWith({
      [metric]: ['snippet: revenue.sql', 'snippet: revenu.sql'],
      'kb/snippets/revenue.sql': null,
    })
    const found = await diagnosis(broken, revenueId)
    expect(found).toMatchObject({ label: 'broken_entry', cluster: undefined })
    expect(found.cause).toContain(metric)
  })

  it('reports the file where a metric has no usable YAML', async () => {
    const found = await diagnosis(shopWith({ [metric]: 'metric: revenue\naliases: [revenue\n' }), revenueId)
    expect(found.cluster).toBeUndefined()
    expect(found.cause).not.toBe('')
  })

  it('finds knowledge that is right and ignored', async () => {
    const snapshot = snapshotOf(shop)
    const asked = await evaluatorOf(warehouse).evaluate(revenueId, snapshot)
    const ignoring = {
      ...asked,
      sample: { ...asked.sample, kind: 'answer', text: 'SELECT 1', read: 'all' } as const,
    }
    const found = diagnose(ignoring, snapshot, contextOf(warehouse))
    expect(found).toMatchObject({ label: 'ignored_context', cluster: undefined })
  })

  it('does not report knowledge as ignored that the agent followed and the engine refused', async () => {
    const snapshot = snapshotOf(shop)
    const asked = await evaluatorOf(warehouse).evaluate(revenueId, snapshot)
    const results = { kind: 'generated_failed', how: 'failed', message: 'no such column: amount' } as const
    const refused = { ...asked, score: { verdict: 'fail', reason: '', results } as const }
    expect(diagnose(refused, snapshot, contextOf(warehouse))).toMatchObject({
      label: 'wrong_definition',
      cluster: 'definition:metric:revenue',
      cause: expect.stringContaining('the engine rejects it: no such column: amount'),
    })
  })

  describe('an order of rows that no case asks for', () => {
    const byDay = (testCase: SqlCase): SqlCase => ({
      ...testCase,
      expectedSql: `${testCase.expectedSql.replace('SELECT', 'SELECT day,')} GROUP BY day`,
    })
    const ordered = `${shop[snippet]?.replace('SELECT', 'SELECT day,')}GROUP BY day ORDER BY day DESC\n`

    it('hides no missing alias and no missing value', async () => {
      const files = shopWith({ [metric]: ['[revenue, turnover]', '[revenue]'], [snippet]: ordered })
      expect((await diagnosis(files, byDay(revenueTh))).cause).toBe('revenue: alias "turnover" was missing')
      const valueless = shopWith({ [metric]: ['TH: [Thailand], ', ''], [snippet]: ordered })
      expect((await diagnosis(valueless, byDay(revenueTh))).cause).toBe('revenue: market had no value TH')
    })

    it('is a wrong definition where it fails a case that the agent answered with it', async () => {
      const snapshot = snapshotOf(shopWith({ [snippet]: ordered }))
      const asked = await evaluatorOf(warehouse).evaluate(byDay(revenueId), snapshot)
      const strict = { ...asked, score: { verdict: 'fail', reason: 'ordering extra: day DESC' } as const }
      const label = (sample: typeof asked.sample): string =>
        diagnose({ ...strict, sample }, snapshot, contextOf(warehouse)).label
      expect(label(asked.sample)).toBe('wrong_definition')
      expect(label({ ...asked.sample, kind: 'answer', text: 'SELECT 1', read: 'all' })).toBe(
        'ignored_context',
      )
    })
  })

  it('carries an expected query over from its own dialect first', async () => {
    const files = shopWith({ [snippet]: ["  AND status = 'paid'\n", ''] })
    const sql = revenueSql('ID', '2025-11-01', '2025-11-30').replace('status', '`status`')
    const found = await diagnosis(files, { ...revenueId, expectedSql: sql, dialect: 'mysql' })
    expect(found.label).toBe('wrong_definition')
  })
})

it('leaves a word that two metrics with one definition have to a person', async () => {
  const copy = (shop[metric] ?? '')
    .replace('metric: revenue', 'metric: takings')
    .replace(/aliases: .*/, 'aliases: [takings, turnover]')
  const files = { ...shop, 'kb/metrics/takings.yaml': copy }
  const { result } = await repair(warehouse, files, [
    caseOf('in_id', 'ID turnover in November 2025', revenueSql('ID', '2025-11-01', '2025-11-30')),
    caseOf('in_th', 'TH turnover in November 2025', revenueSql('TH', '2025-11-01', '2025-11-30')),
  ])
  expect(result.accepted).toEqual([])
  expect(result.findings.get('in_id')?.cause).toContain('more than one metric')
})
