import fc from 'fast-check'
import { expect, it } from 'vitest'
import { casesByGroup, summarize } from '../../src/report/summary.js'
import type { CaseOutcome } from '../../src/store/record-types.js'
import { attempt, caseRecord, detail, run } from './fixtures.js'

it('counts each outcome, accepted plans and calls', () => {
  expect(summarize(detail)).toEqual({
    total: 5,
    passed: 1,
    judged: 0,
    repaired: 1,
    failed: 1,
    unproven: 1,
    errored: 1,
    flaky: 0,
    skipped: 0,
    pending: 0,
    reverted: 0,
    uncommitted: 0,
    repairs: 1,
    retries: 2,
    llmCalls: 3,
    llmTokens: 1234,
    llmCost: 0.0021,
    ms: 2800,
  })
})

it('counts cases that were never asked as skipped, not as passed', () => {
  const summary = summarize({ run: { ...run, total: 48 }, cases: [caseRecord('a')], attempts: [] })
  expect(summary).toMatchObject({ total: 48, passed: 1, skipped: 47 })
})

it('counts what was reverted since, and what waits to be committed', () => {
  expect(summarize({ ...detail, attempts: [{ ...attempt, outcome: 'reverted' }] })).toMatchObject({
    repaired: 1,
    reverted: 1,
    repairs: 0,
  })
  const pending = { ...detail, run: { ...run, decision: 'pending' as const } }
  expect(summarize(pending)).toMatchObject({ reverted: 0, uncommitted: 1 })
  const committed = { ...pending, attempts: [{ ...attempt, commit: 'c0ffee' }] }
  expect(summarize(committed)).toMatchObject({ uncommitted: 0 })
})

it('sums its outcomes to the total, whatever the rows are', () => {
  const outcome = fc.constantFrom<CaseOutcome>(
    'passed',
    'repaired',
    'failed',
    'unproven',
    'errored',
    'skipped',
    'pending',
  )
  fc.assert(
    fc.property(fc.array(outcome), fc.nat(100), (outcomes, total) => {
      const cases = outcomes.map((one, at) => caseRecord(`c${at}`, { outcome: one }))
      const { passed, repaired, failed, unproven, errored, skipped, pending, ...rest } = summarize({
        run: { ...run, total },
        cases,
        attempts: [],
      })
      expect(passed + repaired + failed + unproven + errored + skipped + pending).toBe(rest.total)
      expect(rest.total).toBeGreaterThanOrEqual(total)
    }),
  )
})

it('groups by first tag and by file where there is none, in order of appearance', () => {
  const groups = casesByGroup([
    caseRecord('a', { tags: ['ads'] }),
    caseRecord('b', { tags: [], file: 'x.yaml' }),
    caseRecord('c', { tags: ['ads', 'other'] }),
  ])
  expect([...groups].map(([name, cases]) => [name, cases.map((one) => one.caseId)])).toEqual([
    ['ads', ['a', 'c']],
    ['x.yaml', ['b']],
  ])
})
