import { AutotestError } from '../errors.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import { decide } from './decide/decide-on-plan.js'
import { hasTwoCasesPerCluster, type RepairCandidate } from './model/candidate.js'
import { noted, notedBehindCause } from './model/case-findings.js'
import { caseOf, type RepairTypes } from './model/diagnosis.js'
import type { RepairInput } from './model/repair-input.js'
import type { RepairPlan } from './model/repair-plan.js'
import type { PlanOutcome, RepairState, TriedPlan } from './model/repair-state.js'
import { minimized } from './propose/ask-model.js'
import type { Planner } from './propose/rule-planner.js'
import { explainRefusal, explainSuspects } from './record/explain-outcomes.js'
import { recordPlan, seenAs } from './record/record-plan.js'
import { firstObstacle, validatePlan } from './validate/validate-plan.js'
import { affordPlan, asksToVerify } from './verify/affordable-plan.js'
import { verify } from './verify/verify-plan.js'

/** A plan that may be applied, and the knowledge with it. */
interface ValidPlan<T extends RepairTypes> {
  readonly plan: RepairPlan<T>
  readonly candidate: Snapshot
  /** Whether the knowledge once had the same meaning. */
  readonly isRestored: boolean
}

/** Takes one plan through the steps of a repair: validate → verify → decide → record. */
export async function tryPlan<T extends RepairTypes>(
  proposed: RepairPlan<T>,
  repair: RepairCandidate<T>,
  state: RepairState<T>,
  planner: Planner<T>,
  input: RepairInput<T>,
): Promise<TriedPlan<T>> {
  try {
    const validated = await validate(proposed, repair, state, input)
    if ('outcome' in validated) return validated
    const started = { at: input.clock(), calls: input.llmCalls() }
    const least = await affordable(validated, repair, state, planner, input)
    if ('outcome' in least) return least
    const { plan, candidate, isRestored } = least
    const { snapshot, current } = state
    const verification = await verify(plan, repair, current, snapshot, candidate, planner.propose, input)
    if (input.signal.aborted) return { state, outcome: 'rejected' }
    const { reviewer } = input.domain
    const isFromModel = repair.heldOut !== undefined
    const cases = repair.diagnoses.map(caseOf<T>)
    const decision = decide(
      verification.evidence,
      {
        ...verification,
        concerns: reviewer.concerns(plan, snapshot, candidate, isRestored),
        everyMetricHeldOut: isFromModel
          ? (repair.heldOut ?? []).length > 0
          : hasTwoCasesPerCluster<T>(repair.diagnoses),
        areWithheld: isFromModel,
        // A plan of the rules is structurally equal by construction, or restores the author's original text.
        isStructurallyEqual:
          !isFromModel || reviewer.isStructurallyEqual(plan, cases, snapshot, candidate, verification.after),
      },
      input.minGrade,
    )
    const recorded = await recordPlan({ ...least, verification, decision, started }, repair, state, input)
    if (decision.kind === 'accept' || candidate === validated.candidate) return recorded
    // The complete plan has the same outcome as its minimal form.
    const why = recorded.state.seen.get(candidate.hash) ?? decision.reason
    return { ...recorded, state: seenAs(validated.candidate, why, recorded.state) }
  } catch (error) {
    if (!(error instanceof AutotestError)) throw error
    if (error.code !== 'not_verified') return { state: { ...state, ended: error }, outcome: 'ended' }
    if (input.signal.aborted) return { state, outcome: 'rejected' }
    const findings = notedBehindCause(state.findings, repair.diagnoses, `not verified: ${error.message}`)
    const unverified = [...state.unverified, error.message]
    return { state: { ...state, findings, unverified }, outcome: 'unverified' }
  }
}

/**
 * Returns the plan in its author's words if it may be applied; else the state with what a person should know.
 */
async function validate<T extends RepairTypes>(
  proposed: RepairPlan<T>,
  repair: RepairCandidate<T>,
  state: RepairState<T>,
  input: RepairInput<T>,
): Promise<ValidPlan<T> | TriedPlan<T>> {
  const { rules, validator } = input.domain
  const { diagnoses } = repair
  const { snapshot, findings } = state
  const rephrased = await rules.rephrase?.(proposed, snapshot, repair.heldOut !== undefined)
  const { plan, isRestored } = rephrased ?? { plan: proposed, isRestored: proposed.isRestored === true }
  const ended = (next: RepairState<T>['findings'], outcome: PlanOutcome): TriedPlan<T> => ({
    state: { ...state, findings: next },
    outcome,
  })
  const objection = await validator.objection?.(plan, snapshot, isRestored)
  if (objection !== undefined) {
    const { label, cause, withSiblings, question } = objection
    if (question !== undefined) input.onQuestion?.(question)
    return ended(
      withSiblings
        ? explainSuspects(diagnoses, cause, state, input)
        : noted(
            findings,
            diagnoses.map((diagnosis) => ({ diagnosis, label, cause })),
          ),
      'obstructed',
    )
  }
  const valid = checkedPlan({ plan, isRestored }, repair, state, input)
  if ('outcome' in valid) return valid
  const obstacle = await firstObstacle(snapshot, valid.candidate, input)
  return obstacle === undefined
    ? valid
    : ended(notedBehindCause(findings, diagnoses, `not repaired: ${obstacle}`), 'obstructed')
}

function checkedPlan<T extends RepairTypes>(
  { plan, isRestored }: Omit<ValidPlan<T>, 'candidate'>,
  { diagnoses, heldOut }: RepairCandidate<T>,
  state: RepairState<T>,
  input: RepairInput<T>,
): ValidPlan<T> | TriedPlan<T> {
  const isFromModel = heldOut !== undefined
  const validation = validatePlan(plan, state, isFromModel, input)
  if (validation.kind === 'valid') return { plan, candidate: validation.candidate, isRestored }
  // Only a plan of the rules is made from the expected answer.
  const isFromExpected = !isFromModel && plan.isRestored !== true
  const refusal = isFromExpected ? validation : { ...validation, suspect: undefined }
  const findings = explainRefusal(diagnoses, refusal, state.findings)
  return { state: { ...state, findings }, outcome: 'invalid' }
}

/**
 * Returns the plan if the budget covers its verification; a model's plan without what its cases do not need.
 */
async function affordable<T extends RepairTypes>(
  valid: ValidPlan<T>,
  repair: RepairCandidate<T>,
  state: RepairState<T>,
  planner: Planner<T>,
  input: RepairInput<T>,
): Promise<ValidPlan<T> | TriedPlan<T>> {
  const { plan, candidate } = valid
  if (repair.heldOut === undefined) {
    await affordPlan(plan, repair, state, candidate, planner.propose, input)
    return valid
  }
  const least = await minimized(plan, repair, candidate, state, input, (shown, heldOut) =>
    asksToVerify(shown, heldOut, state, input),
  )
  return least === plan ? valid : checkedPlan({ ...valid, plan: least }, repair, state, input)
}
