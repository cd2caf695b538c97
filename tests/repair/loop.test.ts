import { describe, expect, it } from 'vitest'
import { repair, warehouseForTests } from '../domains/sql/repair/repair-in-memory.js'
import {
  caseOf,
  revenueId,
  revenueSg,
  revenueSql,
  revenueTh,
  shop,
  shopWith,
  taxId,
  taxSql,
  taxVn,
} from '../domains/sql/repair/shop.js'

const warehouse = warehouseForTests()

const revenue = 'kb/snippets/revenue.sql'
const tax = 'kb/snippets/tax.sql'
const everything = 'kb/snippets/everything.sql'
const noStatus = shopWith({ [revenue]: ["  AND status = 'paid'\n", ''] })
const cancelled = (sql: string): string => sql.replace("'paid'", "'cancelled'")

describe('repairFailures', () => {
  it('brings back a missing filter, proved by two twins a parameter where there is one case', async () => {
    const { result, attempts, text } = await repair(warehouse, noStatus, [revenueId, taxId])
    expect(text(revenue)).toBe(shop[revenue])
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E1', cases: ['revenue_id'] }])
    expect(attempts[0]?.evidence).toMatchObject({
      twins: { passed: 4, of: 4 },
      heldOut: { of: 0 },
      benchmark: { before: 1, after: 2, of: 2 },
    })
    expect(result.findings.get('revenue_id')).toMatchObject({ retries: 1, repairId: 'p1' })
  })

  it('grades E2 where each of two cases passes with the plan made from the other', async () => {
    const { attempts } = await repair(warehouse, noStatus, [revenueId, revenueTh])
    expect(attempts).toMatchObject([{ grade: 'E2', evidence: { heldOut: { passed: 2, of: 2 } } }])
  })

  it('never leaves out cases that the user named', async () => {
    const named = new Set(['revenue_id', 'revenue_th'])
    const { attempts } = await repair(warehouse, noStatus, [revenueId, revenueTh], { named })
    expect(attempts).toMatchObject([{ grade: 'E1', evidence: { heldOut: { of: 0 } } }])
  })

  it('does not treat the same question with other punctuation as a second case', async () => {
    const again = { ...revenueId, id: 'again', question: 'ID revenue, in November 2025?' }
    const { attempts } = await repair(warehouse, noStatus, [revenueId, again])
    expect(attempts).toMatchObject([{ grade: 'E1', evidence: { heldOut: { of: 0 } } }])
  })

  it('writes nothing for one example of which no twin can be made', async () => {
    const files = shopWith({ [everything]: ['WHERE is_test = 0\n', ''] })
    const expected = 'SELECT count(*) AS sales FROM sales WHERE is_test = 0'
    const cases = [
      caseOf('all', 'all time sales', expected),
      caseOf('all_again', 'All time sales?', expected),
    ]
    const { result, attempts, text } = await repair(warehouse, files, cases)
    expect(attempts).toMatchObject([{ outcome: 'rejected', evidence: { target: { passed: 2 } } }])
    expect(text(everything)).toBe(files[everything])
    expect(result.findings.get('all')?.cause).toContain('a second case with other values is needed')
  })

  it('leaves E1 to a person where E2 is asked for', async () => {
    const { result, attempts } = await repair(warehouse, noStatus, [revenueId], { minGrade: 'E2' })
    expect(attempts).toMatchObject([{ outcome: 'rejected' }])
    expect(result.accepted).toEqual([])
    expect(result.findings.get('revenue_id')?.cause).toContain('--min-grade E2')
  })

  it('proposes nothing with no retries, and still says why the case fails', async () => {
    const { result, attempts } = await repair(warehouse, noStatus, [revenueId], { maxRetries: 0 })
    expect(attempts).toEqual([])
    expect(result.findings.get('revenue_id')).toMatchObject({ label: 'wrong_definition', retries: 0 })
  })

  it('rejects what breaks a passing case of the metric, suspects the oracle and names what it contradicts', async () => {
    const outlier = caseOf(
      'outlier',
      revenueId.question,
      revenueSql('ID', '2025-11-01', '2025-11-30', ' AND units > 2'),
    )
    const { result, attempts } = await repair(warehouse, shop, [outlier, revenueTh])
    expect(attempts).toMatchObject([{ outcome: 'rejected', evidence: { broken: ['revenue_th'] } }])
    expect(result.findings.get('outlier')).toMatchObject({
      label: 'suspect_oracle',
      cause: 'its expected query contradicts passing case revenue_th of metric revenue',
      retries: 1,
    })
  })

  it('catches a regression in a case that the filters left out', async () => {
    const outlier = caseOf(
      'outlier',
      revenueId.question,
      revenueSql('ID', '2025-11-01', '2025-11-30', ' AND units > 2'),
    )
    const { result, attempts } = await repair(warehouse, shop, [outlier, revenueTh], { selected: [outlier] })
    expect(attempts).toMatchObject([{ outcome: 'rejected', evidence: { broken: ['revenue_th'] } }])
    expect(result.accepted).toEqual([])
  })

  it('suspects the oracle where no plan is valid and another case of the metric passes', async () => {
    const anyMarket = revenueSql('ID', '2025-11-01', '2025-11-30').replace("market = 'ID' AND ", '')
    const outlier = caseOf('outlier', revenueId.question, anyMarket)
    const { result, attempts } = await repair(warehouse, shop, [outlier, revenueTh])
    expect(attempts).toEqual([])
    expect(result.findings.get('outlier')).toMatchObject({
      label: 'suspect_oracle',
      cause: 'its expected query contradicts passing case revenue_th of metric revenue',
    })
  })

  it('does not suspect an oracle for cases that use another part of the snippet', async () => {
    const files = shopWith({ 'kb/metrics/units.yaml': ['{ sql: status,', '{ sql: day,'] })
    const unitsBy = (by: string) =>
      `SELECT ${by} AS slice, sum(units) AS units FROM sales WHERE market = 'ID' AND day BETWEEN '2025-11-01' AND '2025-11-30' GROUP BY 1 ORDER BY 2 DESC LIMIT 10`
    const cases = ['status', 'channel'].map((by) =>
      caseOf(by, `units sold in ID in November 2025 by ${by}`, unitsBy(by)),
    )
    const { result } = await repair(warehouse, files, cases)
    expect(result.accepted).toEqual([])
    expect(result.findings.get('status')?.label).toBe('wrong_definition')
  })

  it('repairs the others and leaves the one that contradicts them to a person', async () => {
    const outlier = { ...revenueSg, expectedSql: cancelled(revenueSg.expectedSql) }
    const { result, attempts, text } = await repair(warehouse, noStatus, [outlier, revenueId, revenueTh])
    expect(text(revenue)).toBe(shop[revenue])
    expect(attempts).toMatchObject([{ grade: 'E2', cases: ['revenue_id', 'revenue_th'] }])
    expect(result.findings.get('revenue_sg')).toMatchObject({
      label: 'suspect_oracle',
      cause: 'its expected query contradicts 2 failing cases (revenue_id, revenue_th) of metric revenue',
      repairId: undefined,
    })
  })

  it('repairs neither of two failing cases that contradict each other', async () => {
    const other = { ...revenueTh, expectedSql: cancelled(revenueTh.expectedSql) }
    const { result, attempts } = await repair(warehouse, noStatus, [revenueId, other])
    expect(attempts).toEqual([])
    expect(result.findings.get('revenue_id')).toMatchObject({
      label: 'suspect_oracle',
      cause: 'its expected query contradicts failing case revenue_th of metric revenue',
    })
    expect(result.findings.get('revenue_th')?.label).toBe('suspect_oracle')
  })

  it('takes no side where two expected queries stand against two', async () => {
    const vn = caseOf('revenue_vn', 'VN revenue in May 2025', revenueSql('VN', '2025-05-01', '2025-05-31'))
    const others = [revenueSg, vn].map((each) => ({ ...each, expectedSql: cancelled(each.expectedSql) }))
    const { result, attempts } = await repair(warehouse, noStatus, [revenueId, revenueTh, ...others])
    expect(attempts).toEqual([])
    expect([...result.findings.values()].map(({ label }) => label)).toEqual(Array(4).fill('suspect_oracle'))
  })

  it('suspects the passing case where more failing ones contradict it', async () => {
    const outlier = { ...revenueSg, expectedSql: revenueSg.expectedSql.replace(" AND status = 'paid'", '') }
    const { result, text } = await repair(warehouse, noStatus, [revenueId, revenueTh, outlier])
    expect(result.accepted).toEqual([])
    expect(text(revenue)).toBe(noStatus[revenue])
    expect(result.findings.get('revenue_sg')).toMatchObject({
      label: 'suspect_oracle',
      cause: 'its expected query contradicts 2 failing cases (revenue_id, revenue_th) of metric revenue',
    })
    expect(result.findings.get('revenue_id')).toMatchObject({ label: 'wrong_definition' })
    expect(result.findings.get('revenue_id')?.cause).toContain('would break revenue_sg, which passes')
  })

  it('says where a snippet is not valid SQL, once', async () => {
    const files = shopWith({ [revenue]: 'SELECT sum(amount FROM (\n' })
    const { result } = await repair(warehouse, files, [revenueId, revenueTh])
    const { cause } = result.findings.get('revenue_id') ?? {}
    expect(cause).toMatch(/^kb\/snippets\/revenue\.sql(:\d+)? is not valid SQL: /)
    expect(cause?.match(/not valid SQL/g)).toHaveLength(1)
    expect(cause).not.toContain('does not match')
  })

  it('repairs siblings that need the same change as one', async () => {
    const files = shopWith({
      [revenue]: ["  AND status = 'paid'\n", ''],
      [tax]: ["  AND status = 'paid'\n", ''],
    })
    const { attempts, text } = await repair(warehouse, files, [revenueId, taxId])
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E1', cases: ['revenue_id', 'tax_id'] }])
    expect(attempts[0]?.edits.map(({ file }) => file)).toEqual([revenue, tax])
    expect([text(revenue), text(tax)]).toEqual([shop[revenue], shop[tax]])
  })

  it('repairs one sibling alone where the joint repair fails at another', async () => {
    const files = shopWith({
      [revenue]: ["  AND status = 'paid'\n", ''],
      [tax]: ["  AND status = 'paid'\n", ''],
    })
    const old = {
      ...taxVn,
      expectedSql: taxSql('VN', '2025-05-01', '2025-05-31').replace("status = 'paid' AND ", ''),
    }
    const { result, attempts, text } = await repair(warehouse, files, [revenueId, taxId, old])
    expect(attempts.map(({ outcome, cases }) => [outcome, cases])).toEqual([
      ['rejected', ['revenue_id', 'tax_id']],
      ['accepted', ['revenue_id']],
    ])
    expect([text(revenue), text(tax)]).toEqual([shop[revenue], files[tax]])
    expect(result.findings.get('revenue_id')?.retries).toBe(2)
    expect(result.findings.get('tax_id')).toMatchObject({ label: 'suspect_oracle', retries: 1 })
  })

  it('caps the plans of a cause: a joint one counts for each of its cases', async () => {
    const files = shopWith({
      [revenue]: ["  AND status = 'paid'\n", ''],
      [tax]: ["  AND status = 'paid'\n", ''],
    })
    const old = {
      ...taxVn,
      expectedSql: taxSql('VN', '2025-05-01', '2025-05-31').replace("status = 'paid' AND ", ''),
    }
    const { attempts } = await repair(warehouse, files, [revenueId, taxId, old], { maxRetries: 1 })
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['rejected'])
  })

  it('credits a repair with the failing cases that it fixes beside its own', async () => {
    const files = {
      ...noStatus,
      'kb/metrics/income.yaml': (shop['kb/metrics/revenue.yaml'] ?? '')
        .replace('metric: revenue', 'metric: income')
        .replace('[revenue, turnover]', '[income]'),
    }
    const expected = revenueSql('PH', '2025-06-01', '2025-06-30').replace("= 'paid'", "IN ('paid')")
    const income = caseOf('income_ph', 'PH income in June 2025', expected)
    const { result, attempts } = await repair(warehouse, files, [revenueId, income])
    expect(attempts).toMatchObject([{ outcome: 'accepted', cases: ['revenue_id', 'income_ph'] }])
    expect(result.findings.get('income_ph')?.repairId).toBe('p1')
  })

  it('credits a repair with the unproven cases that pass with it', async () => {
    const bn = caseOf('revenue_bn', 'BN revenue in June 2025', revenueSql('BN', '2025-06-01', '2025-06-30'))
    const { result, attempts, baseline } = await repair(warehouse, noStatus, [revenueId, bn])
    expect(baseline.get('revenue_bn')?.evaluation.score.verdict).toBe('unproven')
    expect(attempts).toMatchObject([{ outcome: 'accepted', cases: ['revenue_id', 'revenue_bn'] }])
    expect(result.findings.get('revenue_bn')?.repairId).toBe('p1')
  })

  it('accepts nothing once it is interrupted', async () => {
    const stop = new AbortController()
    const { result, attempts } = await repair(warehouse, noStatus, [revenueId, revenueTh, taxId], {
      signal: stop.signal,
      onProgress: () => stop.abort(),
    })
    expect(attempts).toEqual([])
    expect(result.accepted).toEqual([])
    expect(result.snapshot.hash).toBe((await repair(warehouse, noStatus, [])).before.hash)
  })

  it('repairs two faults of one metric one after the other', async () => {
    const files = shopWith({
      [revenue]: ["  AND status = 'paid'\n", ''],
      'kb/metrics/revenue.yaml': ['aliases: [revenue, turnover]', 'aliases: [revenue]'],
    })
    const { attempts, text } = await repair(warehouse, files, [revenueId, revenueTh])
    expect(attempts.map(({ label, outcome }) => [label, outcome])).toEqual([
      ['wrong_definition', 'accepted'],
      ['missing_alias', 'accepted'],
    ])
    expect(text(revenue)).toBe(shop[revenue])
  })

  it('keeps line ends, byte order mark and notes in another encoding as they are', async () => {
    const files = { ...noStatus, [revenue]: `\uFEFF${(noStatus[revenue] ?? '').replaceAll('\n', '\r\n')}` }
    const latin1 = new Uint8Array([0x63, 0x61, 0x66, 0xe9])
    const { result, text } = await repair(warehouse, { ...files, 'kb/notes/old.md': latin1 }, [revenueId])
    expect(text(revenue)).toBe(`\uFEFF${(shop[revenue] ?? '').replaceAll('\n', '\r\n')}`)
    expect(result.snapshot.files.get('kb/notes/old.md')).toEqual(latin1)
  })
})

it('a query that says the same and that the engine refuses is repaired', async () => {
  const inner = (column: string, market: string, start: string, end: string): string =>
    `SELECT sum(amount) AS revenue FROM (SELECT amount, ${column} AS unused FROM sales WHERE market = ${market} AND day BETWEEN ${start} AND ${end}) AS paid`
  const cases = [
    { ...revenueId, expectedSql: inner('channel', "'ID'", "'2025-11-01'", "'2025-11-30'") },
    { ...revenueTh, expectedSql: inner('channel', "'TH'", "'2025-08-01'", "'2025-08-31'") },
  ]
  const broken = inner('shop', '{{ market }}', '{{ period.start }}', '{{ period.end }}')
  const { attempts, text } = await repair(warehouse, { ...shop, [revenue]: `${broken}\n` }, cases)
  expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E2' }])
  expect(text(revenue)).toBe(`${broken.replace('shop', 'channel')}\n`)
})
