import { expect, it } from 'vitest'
import { z } from 'zod'
import { jsonReport, reportOf } from '../../src/report/json.js'
import { jsonText } from '../../src/text/escape.js'
import { detail, failingCase, hostileDetail, hostileText } from './fixtures.js'

const count = z.number().int().nonnegative()
const check = z.object({ passed: count, of: count })
const schema = z.object({
  run: z.looseObject({ id: z.string(), status: z.string() }),
  summary: z.looseObject({
    total: count,
    passed: count,
    repaired: count,
    failed: count,
    unproven: count,
    errored: count,
    skipped: count,
    pending: count,
    llmCalls: count,
  }),
  cases: z.array(
    z.looseObject({
      id: z.string(),
      verdict: z.enum(['pass', 'fail', 'unproven', 'error', 'skipped']),
      repaired: z.boolean(),
      retries: count,
      cause: z.string().optional(),
      differences: z.array(z.string()),
    }),
  ),
  repairs: z.array(
    z.looseObject({
      id: z.string(),
      label: z.string(),
      grade: z.enum(['E0', 'E1', 'E2']),
      goldExposed: z.boolean(),
      reasoning: z.string(),
      cases: z.array(z.string()),
      edits: z.array(z.strictObject({ kind: z.string(), file: z.string(), diff: z.string() })),
      evidence: z.looseObject({ target: check, twins: check, heldOut: check }),
      cost: z.looseObject({ llmCalls: count }),
    }),
  ),
})

it('has the documented shape, and holds accepted plans only', () => {
  const report = schema.parse(JSON.parse([...jsonReport(detail)].join('')))
  expect(report.run.id).toBe('r-7f3a')
  expect(report.summary).toMatchObject({ total: 5, passed: 1, repaired: 1 })
  expect(report.repairs.map((repair) => repair.id)).toEqual(['p1'])
  expect(report.cases.map(({ id, verdict, repaired }) => [id, verdict, repaired])).toEqual([
    ['gmv_id_q3', 'pass', false],
    ['gmv_th_monthly', 'pass', true],
    ['dau_id_monthly', 'fail', false],
    ['refund_rate_sg', 'error', false],
    ['ads_roas_q3', 'unproven', false],
  ])
})

it('its pieces are the whole as it would be written at once', () => {
  for (const some of [detail, hostileDetail, { ...detail, cases: [] }])
    expect([...jsonReport(some)].join('')).toBe(`${jsonText(reportOf(some), 2)}\n`)
})

it('says what differs in words and in rows', () => {
  const report = schema.parse(JSON.parse([...jsonReport({ ...detail, cases: [failingCase] })].join('')))
  expect(report.cases[0]?.differences).toEqual(["filter missing: tz_type = 'local'", '1 of 1 rows differ'])
  expect(report.cases[0]?.['rows']).toMatchObject({
    columns: ['period', 'dau'],
    differences: [{ kind: 'changed', expected: ['2025-11', 474.97], actual: ['2025-11', 949.93] }],
  })
})

it('loses no digit and no character of hostile texts', () => {
  const report = schema.parse(JSON.parse([...jsonReport(hostileDetail)].join('')))
  expect(report.cases[0]?.id).toContain(hostileText)
  expect(JSON.stringify(report.cases[0]?.['rows'])).toContain('"9007199254740993"')
  expect(JSON.stringify(report.cases[0]?.['rows'])).toContain('"NaN"')
})
