import { AutotestError } from '../errors.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import { decide } from './decide/decide-on-plan.js'
import { type AttemptStart, startOfAttempt } from './model/attempt-start.js'
import { hasTwoCasesPerCluster, type RepairCandidate } from './model/candidate.js'
import { noted, notedBehindCause } from './model/case-findings.js'
import { caseOf, type RepairTypes } from './model/diagnosis.js'
import type { Objection } from './model/repair-domain.js'
import type { RepairInput } from './model/repair-input.js'
import type { RepairPlan } from './model/repair-plan.js'
import type { PlanOutcome, RepairState, TriedPlan } from './model/repair-state.js'
import { isUnverified, unverifiedState } from './model/unverified-candidate.js'
import { minimized } from './propose/ask-model.js'
import type { Planner } from './propose/rule-planner.js'
import { explainRefusal, explainSuspects } from './record/explain-outcomes.js'
import { recordPlan, seenAs, type VerifiedPlan } from './record/record-plan.js'
import { firstObstacle, validatePlan } from './validate/validate-plan.js'
import { affordPlan, asksToVerify } from './verify/affordable-plan.js'
import { verify } from './verify/verify-plan.js'

/** A plan that may be applied, and the knowledge with it. */
interface ValidPlan<T extends RepairTypes> {
  readonly plan: RepairPlan<T>
  readonly candidate: Snapshot
  /** Whether the knowledge once had the same meaning. */
  readonly isRestored: boolean
  /** What people wrote against it: they decide once it is proved. */
  readonly objection?: Objection | undefined
  /** What to tell about entries that it changes beyond those of its cases. */
  readonly remarks?: readonly string[] | undefined
}

type ProvedPlan<T extends RepairTypes> = Omit<VerifiedPlan<T>, 'started'>

/**
 * Takes one plan through the steps of a repair: validate → verify → decide → record.
 *
 * @param since when asking a model for it began; absent: it cost nothing so far
 */
export async function tryPlan<T extends RepairTypes>(
  proposed: RepairPlan<T>,
  repair: RepairCandidate<T>,
  state: RepairState<T>,
  planner: Planner<T>,
  input: RepairInput<T>,
  since?: AttemptStart,
): Promise<TriedPlan<T>> {
  try {
    const validated = await validate(proposed, repair, state, input)
    if ('outcome' in validated) return validated
    const started = since ?? startOfAttempt(input)
    const least = await affordable(validated, repair, state, planner, input)
    if ('outcome' in least) return least
    const proved =
      (await provedWithSiblings(least, repair, state, planner, input)) ??
      (await prove(least, repair, state, planner, input))
    if (input.signal.aborted) return { state, outcome: 'rejected' }
    const recorded = await recordPlan({ ...proved, started }, repair, state, input)
    const { decision } = proved
    const { candidate } = least
    if (decision.kind === 'accept' || candidate === validated.candidate) return recorded
    // The complete plan has the same outcome as its minimal form.
    const why = recorded.state.seen.get(candidate.hash) ?? decision.reason
    return { ...recorded, state: seenAs(validated.candidate, why, recorded.state) }
  } catch (error) {
    if (!(error instanceof AutotestError)) throw error
    if (input.signal.aborted) return { state, outcome: 'rejected' }
    return isUnverified(error)
      ? { state: unverifiedState(error, repair, state), outcome: 'unverified' }
      : { state: { ...state, ended: error }, outcome: 'ended' }
  }
}

/**
 * Proves a plan that restores what a change took out of several entries, all of them at once; undefined if there
 * are no others, or if they do not stand with it.
 */
async function provedWithSiblings<T extends RepairTypes>(
  valid: ValidPlan<T>,
  repair: RepairCandidate<T>,
  state: RepairState<T>,
  planner: Planner<T>,
  input: RepairInput<T>,
): Promise<ProvedPlan<T> | undefined> {
  const siblings = await input.domain.restore?.siblings?.(valid.plan, state.snapshot)
  const validation = siblings && validatePlan(siblings.plan, state, false, input)
  if (siblings === undefined || validation?.kind !== 'valid') return undefined
  const { candidate } = validation
  if ((await firstObstacle(state.snapshot, candidate, input)) !== undefined) return undefined
  const wider = { ...valid, plan: siblings.plan, candidate, remarks: siblings.remarks }
  const proved = await prove(wider, repair, state, planner, input, valid)
  if (proved.decision.kind === 'accept') return proved
  // What fails without breaking a case fails for the plan's own cases, whatever else it changes.
  return proved.decision.broken.length > 0 ? undefined : { ...proved, ...valid, remarks: undefined }
}

/**
 * Verifies a plan and decides on it.
 *
 * @param cause the plan as its cases need it, if it changes further entries
 */
async function prove<T extends RepairTypes>(
  valid: ValidPlan<T>,
  repair: RepairCandidate<T>,
  { snapshot, current }: RepairState<T>,
  planner: Planner<T>,
  input: RepairInput<T>,
  cause: ValidPlan<T> = valid,
): Promise<ProvedPlan<T>> {
  const { plan, candidate, isRestored } = valid
  const verification = await verify(plan, repair, current, snapshot, candidate, planner.propose, input)
  const { reviewer } = input.domain
  const isFromModel = repair.heldOut !== undefined
  const cases = repair.diagnoses.map(caseOf<T>)
  const decision = decide(
    verification.evidence,
    {
      ...verification,
      concerns: reviewer.concerns(cause.plan, snapshot, cause.candidate, isRestored, current),
      everyMetricHeldOut: isFromModel
        ? (repair.heldOut ?? []).length > 0
        : hasTwoCasesPerCluster<T>(repair.diagnoses),
      areWithheld: isFromModel,
      undoesBreak: plan.undoesBreak,
      // A plan of the rules is structurally equal by construction, or restores the author's original text.
      isStructurallyEqual:
        !isFromModel || reviewer.isStructurallyEqual(plan, cases, snapshot, candidate, verification.after),
    },
    input.minGrade,
  )
  return { ...valid, verification, decision }
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
  const { diagnoses, heldOut } = repair
  const { snapshot, findings } = state
  const rephrased = await rules.rephrase?.(proposed, snapshot, repair.heldOut !== undefined)
  const { plan, isRestored } = rephrased ?? { plan: proposed, isRestored: proposed.isRestored === true }
  const ended = (next: RepairState<T>['findings'], outcome: PlanOutcome): TriedPlan<T> => ({
    state: { ...state, findings: next },
    outcome,
  })
  // A case that is kept from a model asks for the repair as well.
  const cases = heldOut === undefined ? plan.cases : diagnoses.map(caseOf<T>)
  const objection = await validator.objection?.({ ...plan, cases }, snapshot, isRestored)
  if (objection !== undefined && objection.question === undefined) {
    const { label, cause, withSiblings } = objection
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
    ? { ...valid, objection }
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
  if (least === plan) return valid
  const checked = checkedPlan({ ...valid, plan: least }, repair, state, input)
  return 'outcome' in checked ? checked : { ...checked, objection: valid.objection }
}
