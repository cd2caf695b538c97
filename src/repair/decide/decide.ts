import type { Evidence, Grade } from '../../store/records.js'

export type Decision =
  | { readonly kind: 'accept'; readonly grade: Grade }
  | { readonly kind: 'reject'; readonly reason: string; readonly broken: readonly string[] }

/** Details of the evidence beyond its counts. */
export interface EvidenceDetails {
  /** Parameters of the questions that no twin varied: twins of the others do not show that the repair follows them. */
  readonly unvaried: readonly string[]
  /** For each twin without an answer, the parameter that has another value in it. */
  readonly unanswered: readonly string[]
  /** Another value for which the changed query is not the expected one, in words. */
  readonly counterexample?: string | undefined
  /** The engine's error for a target's query, where it rejects it. */
  readonly engineError?: string | undefined
  /** Parts of the plan that only one case supports, independent of the twins, in words. */
  readonly concerns: readonly string[]
  /** Whether each metric that the plan changes had a case to leave out. */
  readonly everyMetricHeldOut: boolean
  /**
   * Whether the cases left out were kept from whoever made the plan. They are asked with the plan itself then, and one
   * that fails disproves it; without one of them, the rules make another plan than with all.
   */
  readonly areWithheld: boolean
  /** Whether its queries are the expected ones in structure, and not by their rows alone. */
  readonly isStructurallyEqual: boolean
}

/**
 * Keeps a repair only if its targets pass, every twin is answered, nothing that passed before fails, and the
 * evidence reaches at least E1: passing the target alone proves nothing.
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
  if (twins.passed < twins.of) return reject(describeFailingTwins(twins, limits.unanswered))
  if (counterexample !== undefined)
    return reject(`for ${counterexample} its query is not the expected one: the repair overfits the example`)
  // Not which case, nor how many: whoever makes plans learns one bit of what is kept from it.
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
 * E2: every case left out while proposing passes with the plan made from the others, and every metric that the plan
 * changes had one to leave out; what a proposer wrote is the expected query in structure, too. E1: twins only, for every parameter that the questions name. E0: less.
 */
export function gradeOf(
  { twins, heldOut }: Evidence,
  limits: Pick<EvidenceDetails, 'unvaried' | 'everyMetricHeldOut' | 'isStructurallyEqual'>,
): Grade {
  const { unvaried, everyMetricHeldOut, isStructurallyEqual } = limits
  if (heldOut.of > 0 && heldOut.passed === heldOut.of && everyMetricHeldOut && isStructurallyEqual)
    return 'E2'
  return twins.of > 0 && unvaried.length === 0 ? 'E1' : 'E0'
}
