import { AutotestError } from '../../errors.js'
import type { HeldOutScore, RepairCandidate } from '../model/candidate.js'
import { isLeftToPeople, retriesOf } from '../model/case-findings.js'
import type { RepairTypes } from '../model/diagnosis.js'
import type { RepairInput } from '../model/repair-input.js'
import type { RepairPlan } from '../model/repair-plan.js'
import { type RepairState, stopsCandidate, type TriedPlan, type TriedPlans } from '../model/repair-state.js'
import { isUnverified, unverifiedState } from '../model/unverified-candidate.js'

/** The later steps that trying earlier states depends on. */
export interface RestorationSteps<T extends RepairTypes> {
  tryPlan(plan: RepairPlan<T>, candidate: RepairCandidate<T>, state: RepairState<T>): Promise<TriedPlan<T>>
}

/** Reports whether an earlier text is tried before the plans of the rules. */
export async function restoresFirst<T extends RepairTypes>(
  candidate: RepairCandidate<T>,
  { snapshot }: RepairState<T>,
  { domain: { restore } }: RepairInput<T>,
): Promise<boolean> {
  return restore === undefined ? false : restore.comesFirst(candidate, snapshot)
}

/** Tries former states of the faulty entries from git, newest first, if no plan of the rules was accepted. */
export async function tryRestorations<T extends RepairTypes>(
  candidate: RepairCandidate<T>,
  before: RepairState<T>,
  { domain: { restore }, rules, maxRetries, signal }: RepairInput<T>,
  steps: RestorationSteps<T>,
): Promise<TriedPlans<T>> {
  const diagnoses = candidate.diagnoses.filter(
    (each) => !isLeftToPeople(before.findings, each) && !candidate.contradicting.includes(each),
  )
  if (restore === undefined || !rules || diagnoses.length === 0) return { state: before, outcome: 'none' }
  let left = maxRetries - retriesOf(before.findings, diagnoses)
  let tried: TriedPlans<T> = { state: before, outcome: 'none' }
  if (left <= 0) return tried
  try {
    for await (const { plan, about, crossValidation } of restore.restorations(
      diagnoses,
      before.snapshot,
      before.current,
    )) {
      if (signal.aborted) break
      const { state, outcome } = await steps.tryPlan(
        plan,
        only(candidate, about, plan, crossValidation),
        tried.state,
      )
      tried = { state, outcome: outcome === 'invalid' ? tried.outcome : 'tried' }
      if (outcome === 'accepted') return { state, outcome }
      if (outcome === 'invalid') continue
      left--
      const isDecided = diagnoses.some((each) => isLeftToPeople(state.findings, each))
      if (stopsCandidate(outcome) || isDecided) return { state, outcome: 'stopped' }
      if (left <= 0) break
    }
  } catch (error) {
    // The outcome of earlier attempts remains.
    if (!(error instanceof AutotestError)) throw error
    if (isUnverified(error) && !signal.aborted)
      return { state: unverifiedState(error, candidate, tried.state), outcome: 'stopped' }
    tried = { ...tried, state: { ...tried.state, ended: error } }
  }
  return tried
}

function only<T extends RepairTypes>(
  candidate: RepairCandidate<T>,
  diagnoses: readonly T['diagnosis'][],
  plan: RepairPlan<T>,
  crossValidation: HeldOutScore,
): RepairCandidate<T> {
  return { ...candidate, diagnoses, plans: [plan], crossValidation }
}
