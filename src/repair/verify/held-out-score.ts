import type { Snapshot } from '../../snapshot/snapshot.js'
import type { HeldOutScore, RepairCandidate } from '../model/candidate.js'
import { caseOf, type RepairTypes } from '../model/diagnosis.js'
import { crossValidationSplits } from '../model/held-out-split.js'
import type { RepairInput } from '../model/repair-input.js'
import { applyPlan, type Proposals } from '../model/repair-plan.js'
import { alwaysPasses, countPassing } from './evaluate-cases.js'

/** Makes a plan again from some of the cases. */
export type Repropose<T extends RepairTypes> = (
  diagnoses: readonly T['diagnosis'][],
  snapshot: Snapshot,
) => Proposals<T>

/** Counts cases that pass with a plan made without them: those hidden from the proposer, or each in turn. */
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
 * Counts the cases that pass with a plan made without them. A case with the same question is not independent:
 * it is held out together with its duplicates.
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
