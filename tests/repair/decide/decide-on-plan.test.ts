import { describe, expect, it } from 'vitest'
import { decide, type EvidenceDetails, gradeOf } from '../../../src/repair/decide/decide-on-plan.js'
import type { Evidence } from '../../../src/store/record-types.js'

const proved: Evidence = {
  target: { passed: 2, of: 2 },
  twins: { passed: 4, of: 4 },
  heldOut: { passed: 2, of: 2 },
  affected: { passed: 3, of: 3 },
  benchmark: { before: 40, after: 42, of: 42 },
  broken: [],
}
const none = { passed: 0, of: 0 }

function limits(
  unvaried: readonly string[],
  everyMetricHeldOut: boolean,
  concerns: readonly string[] = [],
): EvidenceDetails {
  return {
    unvaried,
    unanswered: [],
    concerns,
    everyMetricHeldOut,
    areWithheld: false,
    isStructurallyEqual: true,
  }
}

describe('decide', () => {
  it('accepts a repair whose every check passed, with grade E2', () => {
    expect(decide(proved, limits([], true), 'E1')).toEqual({ kind: 'accept', grade: 'E2' })
  })

  it('rejects when a target still fails', () => {
    const decision = decide({ ...proved, target: { passed: 1, of: 2 } }, limits([], false), 'E1')
    expect(decision).toMatchObject({ kind: 'reject', reason: '1 of 2 target cases still fail' })
    const refused = { ...limits([], false), engineError: 'ambiguous column name: day\nLINE 1' }
    expect(decide({ ...proved, target: { passed: 0, of: 2 } }, refused, 'E1')).toMatchObject({
      reason: '2 of 2 target cases still fail (SQL fails: ambiguous column name: day)',
    })
  })

  it('rejects what fits the example but not its twins', () => {
    expect(decide({ ...proved, twins: { passed: 3, of: 4 } }, limits([], false), 'E1').kind).toBe('reject')
  })

  it('accepts the text with which the cases passed, whatever twins say of it, but not what breaks a case', () => {
    const taken = { ...limits([], false), undoesBreak: true }
    expect(decide({ ...proved, twins: { passed: 3, of: 4 } }, taken, 'E1').kind).toBe('accept')
    expect(decide({ ...proved, broken: ['other'] }, taken, 'E1').kind).toBe('reject')
    expect(decide({ ...proved, target: { passed: 0, of: 1 } }, taken, 'E1').kind).toBe('reject')
  })

  it('says whether failing twins were answered at all', () => {
    const reasonOf = (passed: number, unanswered: readonly string[]) =>
      decide({ ...proved, twins: { passed, of: 4 } }, { ...limits([], false), unanswered }, 'E1')
    expect(reasonOf(2, [])).toMatchObject({
      reason: '2 of 4 twins fail: the repair overfits the example',
    })
    expect(reasonOf(3, ['market'])).toMatchObject({
      reason: '1 of 4 twins gets no answer: it is not verified for another market',
    })
    expect(reasonOf(1, ['period', 'market', 'market'])).toMatchObject({
      reason: '3 of 4 twins get no answer: it is not verified for another market or period',
    })
    expect(reasonOf(1, ['market'])).toMatchObject({
      reason: '3 of 4 twins fail, 1 of them without an answer: the repair overfits the example',
    })
  })

  it('rejects a plan with which a case that its proposer did not see fails, and says no more of that case', () => {
    const disproved = { ...proved, heldOut: { passed: 0, of: 1 } }
    expect(decide(disproved, { ...limits([], true), areWithheld: true }, 'E1')).toEqual({
      kind: 'reject',
      reason: 'a held-out case fails: the repair overfits the cases shown',
      broken: [],
    })
  })

  it('lowers the grade where the rules make another plan without a case', () => {
    const other = { ...proved, heldOut: { passed: 1, of: 2 } }
    expect(decide(other, limits([], true), 'E1')).toEqual({ kind: 'accept', grade: 'E1' })
  })

  it('rejects what breaks a passing case, and names it', () => {
    const decision = decide({ ...proved, broken: ['gmv_th'] }, limits([], false), 'E1')
    expect(decision).toMatchObject({ kind: 'reject', broken: ['gmv_th'] })
  })

  it('never accepts the target alone', () => {
    expect(decide({ ...proved, twins: none, heldOut: none }, limits([], false), 'E1').kind).toBe('reject')
  })

  it('does not treat twins of one parameter as proof that another one is followed', () => {
    const decision = decide({ ...proved, heldOut: none }, limits(['period'], false), 'E1')
    expect(decision).toMatchObject({
      kind: 'reject',
      reason: 'no twin with another period could be made: a second case with another one is needed',
    })
    expect(decide(proved, limits(['period'], true), 'E1')).toEqual({ kind: 'accept', grade: 'E2' })
  })

  it('rejects on one example what only that example says', () => {
    const concerns = limits([], false, ['only one case supports 7'])
    expect(decide({ ...proved, heldOut: none }, concerns, 'E1')).toMatchObject({
      kind: 'reject',
      reason: 'only one case supports 7: a second case is needed',
    })
    expect(decide(proved, { ...concerns, everyMetricHeldOut: true }, 'E1')).toEqual({
      kind: 'accept',
      grade: 'E2',
    })
  })

  it('leaves an E1 repair to a person where E2 is asked for', () => {
    expect(decide({ ...proved, heldOut: none }, limits([], false), 'E1')).toEqual({
      kind: 'accept',
      grade: 'E1',
    })
    expect(decide({ ...proved, heldOut: none }, limits([], false), 'E2').kind).toBe('reject')
  })
})

describe('gradeOf', () => {
  it('is E1 when a case left out fails with the plan made from the others', () => {
    expect(gradeOf({ ...proved, heldOut: { passed: 1, of: 2 } }, limits([], false))).toBe('E1')
  })

  it('is E1 when the rows agree and the query is not shown to be the expected one', () => {
    const byRows = { ...limits([], true), areWithheld: true, isStructurallyEqual: false }
    expect(gradeOf(proved, byRows)).toBe('E1')
    expect(decide(proved, byRows, 'E2')).toMatchObject({
      reason: expect.stringContaining('the query is not proved equal to the expected one'),
    })
  })

  it('is E1 when one of several metrics had no case to leave out', () => {
    expect(gradeOf(proved, limits([], true))).toBe('E2')
    expect(gradeOf(proved, limits([], false))).toBe('E1')
  })
})
