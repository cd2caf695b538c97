import { describe, expect, it } from 'vitest'
import { decide, gradeOf } from '../../src/repair/accept.js'
import type { Evidence } from '../../src/store/records.js'

const proved: Evidence = {
  target: { passed: 2, of: 2 },
  twins: { passed: 4, of: 4 },
  heldOut: { passed: 2, of: 2 },
  affected: { passed: 3, of: 3 },
  benchmark: { before: 40, after: 42, of: 42 },
  broken: [],
}
const none = { passed: 0, of: 0 }

describe('decide', () => {
  it('accepts a repair whose every check passed, with grade E2', () => {
    expect(decide(proved, [], true, 'E1')).toEqual({ kind: 'accept', grade: 'E2' })
  })

  it('rejects when a target still fails', () => {
    const decision = decide({ ...proved, target: { passed: 1, of: 2 } }, [], false, 'E1')
    expect(decision).toMatchObject({ kind: 'reject', reason: '1 of 2 target cases still fail' })
  })

  it('rejects what fits the example but not its twins', () => {
    expect(decide({ ...proved, twins: { passed: 3, of: 4 } }, [], false, 'E1').kind).toBe('reject')
  })

  it('rejects what breaks a passing case, and names it', () => {
    const decision = decide({ ...proved, broken: ['gmv_th'] }, [], false, 'E1')
    expect(decision).toMatchObject({ kind: 'reject', broken: ['gmv_th'] })
  })

  it('never accepts the target alone', () => {
    expect(decide({ ...proved, twins: none, heldOut: none }, [], false, 'E1').kind).toBe('reject')
  })

  it('does not take twins of one parameter for proof that another one is followed', () => {
    const decision = decide({ ...proved, heldOut: none }, ['period'], false, 'E1')
    expect(decision).toMatchObject({
      kind: 'reject',
      reason: 'no twin with another period could be made: a second case of another one is needed',
    })
    expect(decide(proved, ['period'], true, 'E1')).toEqual({ kind: 'accept', grade: 'E2' })
  })

  it('leaves an E1 repair to a person where E2 is asked for', () => {
    expect(decide({ ...proved, heldOut: none }, [], false, 'E1')).toEqual({ kind: 'accept', grade: 'E1' })
    expect(decide({ ...proved, heldOut: none }, [], false, 'E2').kind).toBe('reject')
  })
})

describe('gradeOf', () => {
  it('is E1 when a case left out fails with the plan made from the others', () => {
    expect(gradeOf({ ...proved, heldOut: { passed: 1, of: 2 } }, [], false)).toBe('E1')
  })

  it('is E1 when one of several metrics had no case to leave out', () => {
    expect(gradeOf(proved, [], true)).toBe('E2')
    expect(gradeOf(proved, [], false)).toBe('E1')
  })
})
