import { entriesNamed, readsAny } from '../../contracts/agent-answer.js'
import { AutotestError } from '../../errors.js'
import { diffSnapshots } from '../../snapshot/diff.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import { type AttemptStart, startOfAttempt } from '../model/attempt-start.js'
import type { RepairCandidate } from '../model/candidate.js'
import { findingOf, isLeftToPeople, notedBehindCause, retriesOf } from '../model/case-findings.js'
import { caseOf, type RepairTypes } from '../model/diagnosis.js'
import { splitHeldOut } from '../model/held-out-split.js'
import type { ModelProposal, ModelProposer, ModelRequest, PreviousAttempt } from '../model/model-proposer.js'
import type { RepairInput } from '../model/repair-input.js'
import { applyPlan, type RepairPlan } from '../model/repair-plan.js'
import { type RepairState, stopsCandidate, type TriedPlan, type TriedPlans } from '../model/repair-state.js'

/** The later steps that asking a model for plans depends on. */
export interface ModelSteps<T extends RepairTypes> {
  /** @param since when asking for this plan began */
  tryPlan(
    plan: RepairPlan<T>,
    candidate: RepairCandidate<T>,
    state: RepairState<T>,
    since: AttemptStart,
  ): Promise<TriedPlan<T>>
  /** Returns the number of agent calls for verifying a plan for these cases. */
  asks(shown: readonly T['diagnosis'][], heldOut: readonly T['diagnosis'][], state: RepairState<T>): number
}

/**
 * Asks a model for one plan after another, each with the outcomes of the former, until one is accepted or the
 * retries are used up. The budget for verification is reserved before a plan is asked for. A model is asked
 * only if there is no evidence that the benchmark is at fault.
 */
export async function askModel<T extends RepairTypes>(
  candidate: RepairCandidate<T>,
  before: RepairState<T>,
  input: RepairInput<T>,
  steps: ModelSteps<T>,
): Promise<TriedPlans<T>> {
  const { proposer, signal, maxRetries, named } = input
  const diagnoses = candidate.diagnoses.filter((each) => !isLeftToPeople(before.findings, each))
  let tried: TriedPlans<T> = { state: before, outcome: 'none' }
  if (proposer === undefined || !mayAsk(candidate, diagnoses, input)) return tried
  const { shown, heldOut } = splitHeldOut<T>(diagnoses, named)
  const earlier: PreviousAttempt[] = []
  let since = startOfAttempt(input)
  for (let left = maxRetries - retriesOf(before.findings, diagnoses); left > 0; left--) {
    if (signal.aborted) return tried
    const { snapshot } = tried.state
    const protect = questionsToProtect(diagnoses, tried.state)
    const asks = steps.asks(shown, heldOut, tried.state)
    const request = { diagnoses: shown, snapshot, protect, earlier }
    const proposed = await proposalOr(proposer, request, asks)
    if (proposed instanceof AutotestError)
      return { state: { ...tried.state, ended: proposed }, outcome: tried.outcome }
    if (signal.aborted) return tried
    if (proposed.kind === 'none') {
      const findings = notedBehindCause(tried.state.findings, diagnoses, proposed.reason)
      tried = { state: { ...tried.state, findings }, outcome: 'tried' }
      earlier.push({ diff: '(nothing)', outcome: proposed.reason })
      continue
    }
    const { plan } = proposed
    const ofModel = { ...candidate, diagnoses, plans: [plan], heldOut }
    const { state, outcome } = await steps.tryPlan(plan, ofModel, tried.state, since)
    since = startOfAttempt(input)
    tried = { state, outcome: 'tried' }
    if (outcome === 'accepted') return { state, outcome }
    if (stopsCandidate(outcome)) return tried
    if (diagnoses.some((each) => isLeftToPeople(state.findings, each))) return tried
    const [first] = diagnoses
    const cause = first === undefined ? undefined : findingOf(state.findings, first)?.cause
    earlier.push({ diff: diffOf(snapshot, plan), outcome: cause ?? outcome })
  }
  return tried
}

/**
 * Returns the proposal of the model, if the budget covers its verification; else the error that prevents
 * asking.
 */
async function proposalOr<T extends RepairTypes>(
  proposer: ModelProposer<T>,
  request: ModelRequest<T>,
  asks: number,
): Promise<ModelProposal<T> | AutotestError> {
  try {
    const hold = proposer.reserve(asks)
    return await proposer.propose(request).finally(hold.release)
  } catch (error) {
    if (error instanceof AutotestError) return error
    throw error
  }
}

function mayAsk<T extends RepairTypes>(
  { clusterKeys }: RepairCandidate<T>,
  diagnoses: readonly T['diagnosis'][],
  { domain: { restore } }: RepairInput<T>,
): boolean {
  if (diagnoses.length === 0 || clusterKeys.length > 1) return false
  return !diagnoses.some((each) => restore?.only(each) === true)
}

/**
 * Returns questions that are answered correctly from the knowledge that the failing ones were answered from.
 */
function questionsToProtect<T extends RepairTypes>(
  diagnoses: readonly T['diagnosis'][],
  { current }: RepairState<T>,
): string[] {
  const read = new Set(diagnoses.flatMap(({ evaluation }) => entriesNamed(evaluation.sample)))
  return [...current.values()].flatMap(({ score, sample, testCase }) =>
    score.verdict === 'pass' && readsAny(sample, read) ? [testCase.question] : [],
  )
}

function diffOf(snapshot: Snapshot, plan: RepairPlan): string {
  return diffSnapshots(snapshot, applyPlan(plan, snapshot) ?? snapshot)
    .map(({ patch }) => patch)
    .join('\n')
}

/**
 * Returns a model's plan without what its cases do not need; the budget for finding that is reserved first.
 */
export async function minimized<T extends RepairTypes>(
  plan: RepairPlan<T>,
  { diagnoses, heldOut }: Pick<RepairCandidate<T>, 'diagnoses' | 'heldOut'>,
  candidate: Snapshot,
  state: RepairState<T>,
  { domain: { prover }, proposer }: RepairInput<T>,
  asks: ModelSteps<T>['asks'],
): Promise<RepairPlan<T>> {
  const { minimize } = prover
  if (heldOut === undefined || minimize === undefined) return plan
  const cases = [...plan.cases, ...heldOut.map(caseOf<T>)]
  const more = await minimize.asks(plan, cases, state.snapshot, candidate)
  if (more > 0) {
    const shown = diagnoses.filter((diagnosis) => !heldOut.includes(diagnosis))
    proposer?.reserve(more + asks(shown, heldOut, state)).release()
  }
  return minimize.minimize(plan, cases, state.snapshot, candidate)
}
