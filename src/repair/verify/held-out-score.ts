import type { Snapshot } from '../../snapshot/snapshot.js'
import type { HeldOutScore, RepairCandidate } from '../model/candidate.js'
import { caseOf, type RepairTypes } from '../model/diagnosis.js'
import { crossValidationSplits } from '../model/held-out.js'
import type { RepairInput } from '../model/input.js'
import { applyPlan, type Proposals } from '../model/plan.js'
import { alwaysPasses, countPassing } from './ask.js'

/** Makes a plan of some of the cases again. */
export type Repropose<T extends RepairTypes> = (
  diagnoses: readonly T['diagnosis'][],
  snapshot: Snapshot,
) => Proposals<T>

/** Cases that pass though the plan was made without them: those that were kept from it, or each in turn. */
export async function heldOutScore<T extends RepairTypes>(
  { heldOut, crossValidation, diagnoses }: RepairCandidate<T>,
  snapshot: Snapshot,
  candidate: Snapshot,
  repropose: Repropose<T>,
  input: RepairInput<T>,
): Promise<HeldOutScore> {
  if (crossValidation !== undefined) return crossValidation
  if (heldOut === undefined) return leaveOneOut(diagnoses, snapshot, repropose, input)
  return countPassing(heldOut.map(caseOf<T>), candidate, input)
}

/**
 * How many cases pass with a plan that was made without them. A case that asks the same in the same words is no other
 * case: it is left out together with its like.
 */
async function leaveOneOut<T extends RepairTypes>(
  diagnoses: readonly T['diagnosis'][],
  snapshot: Snapshot,
  repropose: Repropose<T>,
  input: RepairInput<T>,
): Promise<HeldOutScore> {
  const groups = crossValidationSplits<T>(diagnoses, input.named)
  let passed = 0
  for (const { left, others } of groups) {
    const [plan] = repropose(others, snapshot).plans
    const without = plan && applyPlan(plan, snapshot)
    if (without === undefined) continue
    if (await alwaysPasses(caseOf<T>(left), without, input)) passed++
  }
  return { passed, of: groups.length }
}
