import type { Snapshot } from '../snapshot/snapshot.js'
import type { RepairInput } from './input.js'
import type { RepairPlan } from './plan.js'
import { planned } from './planned.js'
import type { Planner, RepairUnit } from './units.js'
import { passes } from './verify/context.js'
import { leaveOneOut } from './verify/held-out.js'

/** Cases that pass though the plan was made without them: those that were kept from it, or each in turn. */
export async function passedUnseen(
  { held, leftOut, diagnoses }: RepairUnit,
  candidate: Snapshot,
  snapshot: Snapshot,
  propose: Planner['propose'],
  input: RepairInput,
): Promise<{ passed: number; of: number }> {
  if (leftOut !== undefined) return leftOut
  if (held === undefined) {
    const applied = (plan: RepairPlan): Snapshot | undefined => planned(plan, snapshot)
    return leaveOneOut(diagnoses, propose, applied, input)
  }
  const cases = held.map(({ evaluation }) => evaluation.testCase)
  return passes(cases, candidate, input)
}
