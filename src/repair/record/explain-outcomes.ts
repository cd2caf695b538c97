import type { Decision } from '../decide/decide-on-plan.js'
import type { RepairCandidate } from '../model/candidate.js'
import {
  type Findings,
  findingOf,
  isLeftToPeople,
  type Note,
  noted,
  notedBehindCause,
} from '../model/case-findings.js'
import type { RepairTypes } from '../model/diagnosis.js'
import type { RepairInput } from '../model/repair-input.js'
import type { RepairState } from '../model/repair-state.js'
import type { Validation } from '../validate/validate-plan.js'

/**
 * Explains the cases for which no plan was tried, and those excluded from the plan because it does not fix
 * them.
 */
export function explainUntried<T extends RepairTypes>(
  candidate: RepairCandidate<T>,
  verified: boolean,
  state: RepairState<T>,
  input: RepairInput<T>,
): Findings {
  const { contradicting, diagnoses } = candidate
  let { findings } = state
  // What joined subjects expect may differ because one of them is answered from the other's text.
  const odd = contradicting.filter(
    (each) => each.isJoined !== true && findingOf(findings, each)?.repairId === undefined,
  )
  findings = noted(
    findings,
    odd.map((diagnosis): Note => {
      const others = diagnoses.filter((each) => each !== diagnosis && each.cluster === diagnosis.cluster)
      return suspectOf(diagnosis, 'failing', idsOf(others), input)
    }),
  )
  if (verified) return findings
  for (const diagnosis of diagnoses) {
    const isDecided = findingOf(findings, diagnosis)?.label === 'conflicting_intent'
    if (contradicting.includes(diagnosis) || isDecided) continue
    const siblings =
      diagnosis.label === 'wrong_definition'
        ? input.domain.explainer.passingSiblings(diagnosis, state.current, state.snapshot)
        : []
    if (siblings.length > 0) findings = weighed(diagnosis, candidate, siblings, 0, findings, input)
    else if (candidate.plans.length === 0) {
      const { proposer, proposerFirst } = input
      // What is known already is reported instead: the result of asking a model first, or why an earlier state is refused.
      if (findingOf(findings, diagnosis)?.cause !== diagnosis.cause) continue
      const nothing = proposer === undefined || proposerFirst ? 'no plan could be made' : undefined
      const why = candidate.abstained ?? nothing
      if (why !== undefined) findings = notedBehindCause(findings, [diagnosis], why)
    }
  }
  return findings
}

/**
 * Explains why a plan was rejected in validation; an expected answer that ignores a value of its question is
 * more likely wrong.
 */
export function explainRefusal<T extends RepairTypes>(
  diagnoses: readonly T['diagnosis'][],
  refusal: Extract<Validation<T>, { kind: 'invalid' }>,
  findings: Findings,
): Findings {
  const { reason, suspect, isAlreadyReported, isDecision } = refusal
  const open = diagnoses.filter(
    (each) => isAlreadyReported !== true || (findingOf(findings, each)?.retries ?? 0) === 0,
  )
  return noted(
    findings,
    open.map((diagnosis): Note => {
      const cause = suspect?.(diagnosis)
      if (isDecision === true) return { diagnosis, label: 'conflicting_intent', cause: reason }
      return cause === undefined
        ? {
            diagnosis,
            label: diagnosis.label,
            cause: `${diagnosis.cause}; plan rejected: ${reason}`,
          }
        : { diagnosis, label: 'suspect_oracle', cause }
    }),
  )
}

/**
 * Explains why a plan was rejected after verification, and which cases contradict each other if it breaks
 * some.
 */
export function explainRejection<T extends RepairTypes>(
  candidate: RepairCandidate<T>,
  decision: Extract<Decision, { kind: 'reject' }>,
  { findings: before, current, snapshot }: RepairState<T>,
  input: RepairInput<T>,
): Findings {
  const { explainer } = input.domain
  return candidate.diagnoses.reduce((findings, diagnosis) => {
    const siblings = decision.broken.filter((id) =>
      explainer.sharesSubject(current.get(id), diagnosis, snapshot),
    )
    return siblings.length > 0
      ? weighed(diagnosis, candidate, siblings, 1, findings, input)
      : notedBehindCause(findings, [diagnosis], decision.reason, 1)
  }, before)
}

/** Adds the reason why the repair ended early to the findings of the remaining cases, diagnosed or not. */
export function explainUnfinished<T extends RepairTypes>(
  diagnoses: readonly T['diagnosis'][],
  why: string,
  findings: Findings,
  failing: RepairInput<T>['failing'],
): Findings {
  const next = new Map(findings)
  for (const { testCase } of failing)
    if (!next.has(testCase.id))
      next.set(testCase.id, { label: 'unknown', cause: why, retries: 0, repairId: undefined })
  return noted(
    next,
    diagnoses.flatMap((diagnosis): Note[] => {
      const known = findingOf(findings, diagnosis)
      if (known?.repairId !== undefined || isLeftToPeople(findings, diagnosis)) return []
      return [{ diagnosis, label: diagnosis.label, cause: `${known?.cause ?? diagnosis.cause}; ${why}` }]
    }),
  )
}

/** Explains what contradicts the expected answers of cases, with the passing cases that do as well. */
export function explainSuspects<T extends RepairTypes>(
  diagnoses: readonly T['diagnosis'][],
  cause: string,
  { findings, current, snapshot }: RepairState<T>,
  input: RepairInput<T>,
): Findings {
  const { explainer } = input.domain
  return noted(
    findings,
    diagnoses.map((diagnosis): Note => {
      // A question with more words than its subject asks for something else than the cases of that subject.
      const siblings = explainer.asksForSubjectAlone(diagnosis)
        ? explainer.passingSiblings(diagnosis, current, snapshot)
        : []
      const also = siblings.length === 0 ? [] : [contradiction(diagnosis, 'passing', siblings, input)]
      return { diagnosis, label: 'suspect_oracle', cause: [...also, cause].join('; ') }
    }),
  )
}

/**
 * Weighs expected answers of failing and passing cases that cannot all be true: the smaller group is suspect.
 */
function weighed<T extends RepairTypes>(
  diagnosis: T['diagnosis'],
  { diagnoses, contradicting }: RepairCandidate<T>,
  siblings: readonly string[],
  retries: number,
  findings: Findings,
  input: RepairInput<T>,
): Findings {
  const alike = diagnoses.filter(
    (each) => each.cluster === diagnosis.cluster && !contradicting.includes(each),
  )
  if (alike.length <= siblings.length)
    return noted(findings, [{ ...suspectOf(diagnosis, 'passing', siblings, input), retries }])
  const ids = idsOf(alike)
  const next = new Map(findings)
  const cause = contradiction(diagnosis, 'failing', ids, input)
  for (const id of siblings) next.set(id, { label: 'suspect_oracle', cause, retries: 0, repairId: undefined })
  const suspects = siblings.slice(0, 3).join(', ')
  return notedBehindCause(
    next,
    [diagnosis],
    `the repair would break ${suspects}, which passes and is contradicted by ${ids.length} failing cases`,
    retries,
  )
}

function suspectOf<T extends RepairTypes>(
  diagnosis: T['diagnosis'],
  kind: 'passing' | 'failing',
  ids: readonly string[],
  input: RepairInput<T>,
): Note {
  return { diagnosis, label: 'suspect_oracle', cause: contradiction(diagnosis, kind, ids, input) }
}

/**
 * Describes that a case's expected answer and those of others cannot all be true. Failing ones are of its own
 * cluster; passing ones are of the subject from which it was answered, whatever the plan changes.
 */
function contradiction<T extends RepairTypes>(
  diagnosis: T['diagnosis'],
  kind: 'passing' | 'failing',
  ids: readonly string[],
  { domain: { explainer } }: RepairInput<T>,
): string {
  const listed = `${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ', …' : ''}`
  const cases = ids.length === 1 ? `case ${listed}` : `cases (${listed})`
  const count = ids.length === 1 ? '' : `${ids.length} `
  const subject = kind === 'passing' ? explainer.subjectOfPassing(diagnosis) : diagnosis.subject
  return `its ${explainer.words.expected} contradicts ${count}${kind} ${cases} of ${subject}`
}

function idsOf(
  diagnoses: readonly { readonly evaluation: { readonly testCase: { readonly id: string } } }[],
) {
  return diagnoses.map(({ evaluation }) => evaluation.testCase.id)
}
