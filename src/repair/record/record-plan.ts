import { changesBetween } from '../../edit/apply-edits.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { AttemptRecord } from '../../store/record-types.js'
import type { Decision } from '../decide/decide-on-plan.js'
import type { AttemptStart } from '../model/attempt-start.js'
import type { RepairCandidate } from '../model/candidate.js'
import { noted, retriesOf } from '../model/case-findings.js'
import type { RepairTypes } from '../model/diagnosis.js'
import type { Objection } from '../model/repair-domain.js'
import type { AcceptedRepair, CaseFinding, RepairInput } from '../model/repair-input.js'
import type { RepairPlan } from '../model/repair-plan.js'
import type { RepairState, TriedPlan } from '../model/repair-state.js'
import { newlyPassing } from '../verify/regression-check.js'
import type { Verification } from '../verify/verify-plan.js'
import { attemptRecord, revertedBefore } from './attempt-record.js'
import { explainRejection } from './explain-outcomes.js'

/** A verified plan, with the decision about it. */
export interface VerifiedPlan<T extends RepairTypes> {
  readonly plan: RepairPlan<T>
  readonly candidate: Snapshot
  /** Whether the knowledge once had the same meaning. */
  readonly isRestored: boolean
  readonly verification: Verification<T>
  readonly decision: Decision
  /** What people wrote against it; absent: nothing. */
  readonly objection?: Objection | undefined
  /** What to tell about entries that it changes beyond those of its cases, one clause each; absent: none. */
  readonly remarks?: readonly string[] | undefined
  /** Time and number of model calls when it was started. */
  readonly started: AttemptStart
}

/** Returns the state with a plan accepted or rejected, and reports the attempt. */
export async function recordPlan<T extends RepairTypes>(
  verified: VerifiedPlan<T>,
  repair: RepairCandidate<T>,
  before: RepairState<T>,
  input: RepairInput<T>,
): Promise<TriedPlan<T>> {
  const { plan, candidate, isRestored, verification, decision, started } = verified
  const { snapshot, findings } = before
  const { explainer } = input.domain
  const { objection } = verified
  const isProved = decision.kind === 'accept'
  const isAccepted = isProved && objection === undefined
  const changes = changesBetween(snapshot, candidate)
  // An earlier state of the knowledge base is not a new requirement, whoever added the cases.
  const isNew = isAccepted && !isRestored
  const record = attemptRecord({
    id: `p${before.attempts + 1}`,
    plan,
    history: [
      ...(verified.remarks ?? []),
      ...((await explainer.history?.(plan, snapshot, candidate, isNew)) ?? []),
      ...revertedBefore(changes, input),
    ],
    before: snapshot,
    candidate,
    evidence: verification.evidence,
    warnings: explainer.warnings?.(snapshot, candidate) ?? [],
    decision,
    heldBy: objection?.cause,
    alsoFixed: isProved ? newlyPassing(verification, plan, input.failing, findings) : [],
    retries: retriesOf(findings, repair.diagnoses) + 1,
    ms: input.clock() - started.at,
    llmCalls: input.llmCalls() - started.calls,
  })
  const reasoning = (await explainer.nameChanges?.(record.reasoning)) ?? record.reasoning
  const attempt = { ...record, reasoning }
  const state = { ...before, attempts: before.attempts + 1, current: verification.before }
  input.onAttempt(attempt, changes)
  if (objection !== undefined) {
    const seen = seenAs(candidate, `it is held: ${objection.cause}`, state)
    return held(objection, { ...attempt, isProved }, repair, seen, input)
  }
  return isProved
    ? { state: accepted(candidate, verification, { attempt, changes }, state, input), outcome: 'accepted' }
    : { state: rejected(candidate, decision, repair, state, input), outcome: 'rejected' }
}

/**
 * Returns the state with a plan that people wrote something against: they are asked, and may accept it as it is if it
 * is proved.
 */
function held<T extends RepairTypes>(
  { label, cause, question }: Objection,
  { id, reason, isProved }: Pick<AttemptRecord, 'id' | 'reason'> & { readonly isProved: boolean },
  { diagnoses }: RepairCandidate<T>,
  state: RepairState<T>,
  input: RepairInput<T>,
): TriedPlan<T> {
  if (question !== undefined)
    input.onQuestion?.(
      isProved
        ? { ...question, repair: id }
        : { ...question, obstacle: `the repair is not proved: ${reason}` },
    )
  const notes = diagnoses.map((diagnosis) => ({ diagnosis, label, cause, retries: 1 }))
  return { state: { ...state, findings: noted(state.findings, notes) }, outcome: 'obstructed' }
}

function rejected<T extends RepairTypes>(
  candidate: Snapshot,
  decision: Extract<Decision, { kind: 'reject' }>,
  repair: RepairCandidate<T>,
  state: RepairState<T>,
  input: RepairInput<T>,
): RepairState<T> {
  return {
    ...seenAs(candidate, `the same knowledge was tried before: ${decision.reason}`, state),
    findings: explainRejection(repair, decision, state, input),
  }
}

function accepted<T extends RepairTypes>(
  candidate: Snapshot,
  { after }: Verification<T>,
  repair: AcceptedRepair,
  state: RepairState<T>,
  { domain: { diagnoser } }: RepairInput<T>,
): RepairState<T> {
  const { id, label, title, cases, subject } = repair.attempt
  const paths = repair.changes.map((change) => change.path)
  const findings = new Map<string, CaseFinding>(state.findings)
  for (const caseId of cases) {
    const retries = (findings.get(caseId)?.retries ?? 0) + 1
    findings.set(caseId, { label, cause: title, retries, repairId: id })
  }
  return {
    ...seenAs(
      state.snapshot,
      `it would undo repair ${id}: the knowledge base would be as it was before`,
      state,
    ),
    snapshot: candidate,
    current: new Map([...state.current, ...after]),
    accepted: [...state.accepted, repair],
    diagnoses: new Map(
      [...state.diagnoses].filter(([, diagnosis]) => diagnoser.outlives(diagnosis, { subject, paths })),
    ),
    mayBeStale: true,
    findings,
  }
}

/** Returns the state in which a plan that results in this knowledge is refused. */
export function seenAs<T extends RepairTypes>(
  { hash }: Snapshot,
  why: string,
  state: RepairState<T>,
): RepairState<T> {
  return { ...state, seen: new Map([...state.seen, [hash, why]]) }
}
