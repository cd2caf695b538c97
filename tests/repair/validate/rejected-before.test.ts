import { describe, expect, it } from 'vitest'
import { caseHash } from '../../../src/contracts/case-hash.js'
import type { RejectedRepair } from '../../../src/contracts/rejected-repair.js'
import { type ComparedPlan, rejectedBefore } from '../../../src/repair/validate/rejected-before.js'
import { snapshotOf } from '../../kb/knowledge-files.js'

const path = 'kb/a.sql'
const decision: RejectedRepair = {
  id: '123456',
  repair: 'a',
  entry: 'metric a',
  reason: 'no',
  date: '2025-11-20',
  by: 'Ada',
  run: 'r-1',
  cases: new Map([['one', caseHash('q', 'e')]]),
  files: [{ path, before: 'old', after: 'new' }],
}
const plan = (before: string, after: string, more: Partial<ComparedPlan> = {}): ComparedPlan => ({
  cases: [{ id: 'one', question: 'q', expected: ' e ' }],
  paths: [path],
  snapshot: snapshotOf({ [path]: before }),
  candidate: snapshotOf({ [path]: after }),
  isSame: (_, one, other) => one.toLowerCase() === other.toLowerCase(),
  inAnyWords: false,
  ...more,
})

describe('a plan like one that was rejected', () => {
  it.each([
    ['the same change', plan('old', 'new'), true],
    ['one of the same meaning', plan('OLD', 'New'), true],
    ['another change', plan('old', 'newer'), false],
    ['the entry has changed since', plan('older', 'new'), false],
    [
      'a case has changed since',
      plan('old', 'new', { cases: [{ id: 'one', question: 'q', expected: 'f' }] }),
      false,
    ],
    [
      'another case asks for it, too',
      plan('old', 'new', {
        cases: [
          { id: 'one', question: 'q', expected: 'e' },
          { id: 'two', question: 'q2', expected: 'e' },
        ],
      }),
      false,
    ],
    ['another file is changed, too', plan('old', 'new', { paths: [path, 'kb/b.sql'] }), false],
  ])('%s', (_, compared, expected) => {
    expect(rejectedBefore(compared, [decision]) !== undefined).toBe(expected)
  })

  it('is any other with which the cases pass where what they expect is rejected, as long as the files are what they were', () => {
    const any = { inAnyWords: true }
    const found = (compared: ComparedPlan): boolean => rejectedBefore(compared, [decision]) !== undefined
    expect(found(plan('old', 'newer', any))).toBe(true)
    expect(found(plan('old', 'old', { ...any, paths: ['kb/b.sql'] }))).toBe(true)
    expect(found(plan('older', 'new', any))).toBe(false)
    expect(found(plan('old', 'new', { ...any, cases: [{ id: 'two', question: 'q', expected: 'e' }] }))).toBe(
      false,
    )
  })

  it('counts without the repair of the same run below it', () => {
    const files = [{ path, before: 'a\nB\nc', after: 'a\nB\nC', base: 'a\nb\nc' }]
    expect(rejectedBefore(plan('a\nb\nc', 'a\nb\nC'), [{ ...decision, files }])).toBeDefined()
    expect(rejectedBefore(plan('a\nb\nc', 'a\nb\nD'), [{ ...decision, files }])).toBeUndefined()
  })
})
