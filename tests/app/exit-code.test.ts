import { describe, expect, it } from 'vitest'
import { exitCodeOfError, exitCodeOfRun } from '../../src/app/exit-code.js'
import type { CaseOutcome, CaseRecord, TriageLabel } from '../../src/store/record-types.js'

const settled = {
  interrupted: false,
  budgetExhausted: false,
  unverified: false,
  failure: undefined,
  unusable: [],
  unlisted: [],
  decision: 'none',
} as const

function row(outcome: CaseOutcome, label?: TriageLabel): CaseRecord {
  return {
    kind: 'sql',
    caseId: outcome,
    position: 0,
    question: '',
    tags: [],
    file: 'a.yaml',
    line: 1,
    fingerprint: '',
    outcome,
    verdict: 'pass',
    baseline: 'pass',
    label,
    cause: undefined,
    retries: 0,
    repairId: undefined,
    ms: 0,
    sample: {
      kind: 'none',
      answer: undefined,
      message: undefined,
      read: [],
      verdict: 'pass',
      reason: '',
      structure: undefined,
      results: undefined,
      expected: '',
      ms: 0,
    },
  }
}

describe('exitCodeOfRun', () => {
  it('is 0 when everything passed, or was repaired and settled', () => {
    expect(exitCodeOfRun([row('passed')], settled)).toBe(0)
    for (const decision of ['committed', 'kept'] as const) {
      expect(exitCodeOfRun([row('passed'), row('repaired')], { ...settled, decision })).toBe(0)
    }
  })

  it('is 2 where everything passed without a knowledge file that cannot be used, and 1 where something failed', () => {
    const end = { ...settled, unusable: ['kb/metrics/x.yaml'] }
    expect(exitCodeOfRun([row('passed')], end)).toBe(2)
    expect(exitCodeOfRun([row('passed'), row('failed')], end)).toBe(1)
  })

  it('is 1 for what failed, is unproven, or is a suspect oracle', () => {
    expect(exitCodeOfRun([row('failed')], settled)).toBe(1)
    expect(exitCodeOfRun([row('unproven')], settled)).toBe(1)
    expect(exitCodeOfRun([row('errored', 'suspect_oracle')], settled)).toBe(1)
  })

  it('is 1 when repairs wait for a decision or were reverted', () => {
    expect(exitCodeOfRun([row('pending')], { ...settled, decision: 'pending' })).toBe(1)
    expect(exitCodeOfRun([row('repaired')], { ...settled, decision: 'pending' })).toBe(1)
    expect(exitCodeOfRun([row('repaired')], { ...settled, decision: 'reverted' })).toBe(1)
  })

  it('is 3 for an agent or engine that broke, whatever else failed', () => {
    expect(exitCodeOfRun([row('failed'), row('errored')], settled)).toBe(3)
  })

  it('is 4 when the budget ran out and 130 when interrupted, in this order of weight', () => {
    expect(exitCodeOfRun([row('errored')], { ...settled, budgetExhausted: true })).toBe(4)
    expect(exitCodeOfRun([row('errored')], { ...settled, budgetExhausted: true, interrupted: true })).toBe(
      130,
    )
  })
})

describe('exitCodeOfError', () => {
  it('tells usage, infrastructure, budget and an empty selection apart', () => {
    expect(exitCodeOfError('config_invalid')).toBe(2)
    expect(exitCodeOfError('engine_unavailable')).toBe(3)
    expect(exitCodeOfError('budget_exhausted')).toBe(4)
    expect(exitCodeOfError('no_case_matched')).toBe(5)
    expect(exitCodeOfError('interrupted')).toBe(130)
  })
})
