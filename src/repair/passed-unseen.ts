import type { Snapshot } from '../snapshot/snapshot.js'
import type { RepairInput } from './input.js'
import type { RepairPlan } from './plan.js'
import { applyPlan } from './planned.js'
import type { Planner, RepairCandidate } from './units.js'
import { countPassing } from './verify/context.js'
import { leaveOneOut } from './verify/held-out.js'

/** Cases that pass though the plan was made without them: those that were kept from it, or each in turn. */
export async function scoreHeldOut(
  { heldOut, crossValidation, diagnoses }: RepairCandidate,
  candidate: Snapshot,
  snapshot: Snapshot,
  propose: Planner['propose'],
  input: RepairInput,
): Promise<{ passed: number; of: number }> {
  if (crossValidation !== undefined) return crossValidation
  if (heldOut === undefined) {
    const applied = (plan: RepairPlan): Snapshot | undefined => applyPlan(plan, snapshot)
    return leaveOneOut(diagnoses, propose, applied, input)
  }
  const cases = heldOut.map(({ evaluation }) => evaluation.testCase)
  return countPassing(cases, candidate, input)
}
