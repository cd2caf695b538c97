import { expect, it } from 'vitest'
import { diffRuns } from '../../src/report/diff-runs.js'
import type { CaseOutcome, RunDetail } from '../../src/store/record-types.js'
import { caseRecord, run } from './fixtures.js'

const runWith = (outcomes: Readonly<Record<string, CaseOutcome>>): RunDetail => ({
  run,
  attempts: [],
  cases: Object.entries(outcomes).map(([id, outcome]) => caseRecord(id, { outcome })),
})

const ids = (changes: readonly { readonly caseId: string }[]): string[] =>
  changes.map((change) => change.caseId)

it('sorts cases into fixed, broken and still bad, and leaves out those green in both', () => {
  const before = runWith({ a: 'failed', b: 'passed', c: 'failed', d: 'passed', e: 'errored' })
  const after = runWith({ a: 'passed', b: 'failed', c: 'unproven', d: 'repaired', e: 'repaired' })
  const diff = diffRuns(before, after)
  expect(ids(diff.fixed)).toEqual(['a', 'e'])
  expect(ids(diff.broken)).toEqual(['b'])
  expect(diff.stillBad).toEqual([{ caseId: 'c', before: 'failed', after: 'unproven', redefined: false }])
})

it('takes a case that was not asked for absent, not for broken', () => {
  const diff = diffRuns(runWith({ a: 'passed', b: 'passed' }), runWith({ a: 'skipped', c: 'failed' }))
  expect(diff).toMatchObject({ broken: [], onlyBefore: ['a', 'b'], onlyAfter: ['c'] })
})

it('tells a case whose definition changed', () => {
  const before = runWith({ a: 'failed' })
  const after = { ...before, cases: [caseRecord('a', { outcome: 'passed', fingerprint: 'other' })] }
  expect(diffRuns(before, after).fixed[0]?.redefined).toBe(true)
})

it('finds no change between a run and itself', () => {
  const one = runWith({ a: 'passed', b: 'repaired' })
  expect(diffRuns(one, one)).toEqual({ fixed: [], broken: [], stillBad: [], onlyBefore: [], onlyAfter: [] })
})
