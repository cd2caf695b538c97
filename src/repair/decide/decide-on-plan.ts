import type { Evidence, Grade } from '../../store/record-types.js'

export type Decision =
  | { readonly kind: 'accept'; readonly grade: Grade }
  | { readonly kind: 'reject'; readonly reason: string; readonly broken: readonly string[] }

/** Details of the evidence beyond its counts. */
export interface EvidenceDetails {
  /**
   * Parameters of the questions that no twin varied: twins of the others do not show that the repair follows
   * them.
   */
  readonly unvaried: readonly string[]
  /** For each twin without an answer, the parameter whose value was changed in it. */
  readonly unanswered: readonly string[]
  /** Another value for which the changed query differs from the expected one, in words. */
  readonly counterexample?: string | undefined
  /** The engine's error for a target's query, if it rejects it. */
  readonly engineError?: string | undefined
  /** Parts of the plan that only one case supports, independent of the twins, in words. */
  readonly concerns: readonly string[]
  /** Whether each metric that the plan changes had a held-out case. */
  readonly everyMetricHeldOut: boolean
  /**
   * Whether the held-out cases were hidden from the proposer. Then they are asked with the plan itself, and a
   * failure disproves it; otherwise the rules make another plan without each of them.
   */
  readonly areWithheld: boolean
  /** Whether it takes back the very change with which its cases began to fail: what the author had before is evidence by itself. */
  readonly undoesBreak?: boolean | undefined
  /** Whether there is no value to vary in its cases, and its answers have the structure of the expected ones. */
  readonly isExact?: boolean | undefined
  /** Whether its queries have the structure of the expected ones, rather than equal rows only. */
  readonly isStructurallyEqual: boolean
}

/**
 * Accepts a repair only if its targets pass, every twin is answered, nothing that passed before fails, and
 * the evidence has at least grade E1: a passing target alone proves nothing.
 */
export function decide(evidence: Evidence, limits: EvidenceDetails, minGrade: 'E1' | 'E2'): Decision {
  const { unvaried, concerns, counterexample, engineError } = limits
  const reject = (reason: string, broken: readonly string[] = []): Decision => ({
    kind: 'reject',
    reason,
    broken,
  })
  const { target, twins, heldOut, broken } = evidence
  if (target.passed < target.of) {
    const why = engineError === undefined ? '' : ` (SQL fails: ${engineError.split('\n', 1)[0]})`
    return reject(`${target.of - target.passed} of ${target.of} target cases still fail${why}`)
  }
  // The text with which the cases passed is not disproved by questions that nobody asked of it then.
  if (twins.passed < twins.of && limits.undoesBreak !== true)
    return reject(describeFailingTwins(twins, limits.unanswered))
  if (counterexample !== undefined)
    return reject(`for ${counterexample} its query is not the expected one: the repair overfits the example`)
  // Neither which case nor how many: the proposer learns a single bit about the cases hidden from it.
  if (limits.areWithheld && heldOut.passed < heldOut.of)
    return reject('a held-out case fails: the repair overfits the cases shown')
  if (broken.length > 0)
    return reject(`breaks ${broken.length} passing ${broken.length === 1 ? 'case' : 'cases'}`, broken)
  const grade = gradeOf(evidence, limits)
  if (grade === 'E0') {
    if (twins.of > 0)
      return reject(
        `no twin with another ${unvaried.join(' or ')} could be made: a second case with another one is needed`,
      )
    return reject(
      heldOut.of > 0
        ? 'no twin could be made and the case left out fails: the example alone proves nothing'
        : 'one example, and no twin could be made: a second case with other values is needed',
    )
  }
  const [concern] = concerns
  if (grade === 'E1' && concern !== undefined) return reject(`${concern}: a second case is needed`)
  if (grade === 'E1' && minGrade === 'E2')
    return reject(
      `evidence is E1 (${limits.isStructurallyEqual ? 'twins, no real case left out' : 'the rows match, but the query is not proved equal to the expected one'}); --min-grade E2 leaves it for review`,
    )
  return { kind: 'accept', grade }
}

function describeFailingTwins({ passed, of }: Evidence['twins'], unanswered: readonly string[]): string {
  const failing = of - passed
  const without = unanswered.length
  if (without === failing)
    return `${failing} of ${of} twins ${failing === 1 ? 'gets' : 'get'} no answer: it is not verified for another ${[...new Set(unanswered)].sort().join(' or ')}`
  const silent = without === 0 ? '' : `, ${without} of them without an answer`
  return `${failing} of ${of} twins fail${silent}: the repair overfits the example`
}

/**
 * Returns the grade of the evidence. E2: every held-out case passes with the plan made from the others, every
 * metric that the plan changes had a held-out case, and a model's plan has the structure of the expected
 * query. E1: twins only, for every parameter that the questions name, or the change with which the cases began to fail taken back, or the
 * structure of the expected query where there is no value to vary. E0: less.
 */
export function gradeOf(
  { twins, heldOut }: Evidence,
  limits: Pick<
    EvidenceDetails,
    'unvaried' | 'everyMetricHeldOut' | 'isStructurallyEqual' | 'undoesBreak' | 'isExact'
  >,
): Grade {
  const { unvaried, everyMetricHeldOut, isStructurallyEqual } = limits
  if (heldOut.of > 0 && heldOut.passed === heldOut.of && everyMetricHeldOut && isStructurallyEqual)
    return 'E2'
  const isVaried = twins.of > 0 && unvaried.length === 0
  return isVaried || limits.undoesBreak === true || limits.isExact === true ? 'E1' : 'E0'
}
