import { applyEdits, changesBetween, type FileChange } from '../../edit/apply-edits.js'
import { AutotestError } from '../../errors.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { RepairTypes } from '../model/diagnosis.js'
import type { Problem } from '../model/repair-domain.js'
import type { RepairInput } from '../model/repair-input.js'
import type { RepairPlan } from '../model/repair-plan.js'
import type { RepairState } from '../model/repair-state.js'

export type Validation<T extends RepairTypes> =
  | { readonly kind: 'valid'; readonly candidate: Snapshot }
  | (Problem<T> & {
      readonly kind: 'invalid'
      /** Whether another plan resulted in the same knowledge: its outcome is reported already. */
      readonly isAlreadyReported?: boolean
    })

const largestFile = 256 * 1024

/**
 * Checks everything about a plan that can be judged without asking the agent. A state of the knowledge that
 * was tried before is refused: A→B→A would never end.
 *
 * @param isFromModel whether it was made without the expected answers of its cases: its content is then
 * unconstrained
 */
export function validatePlan<T extends RepairTypes>(
  plan: RepairPlan<T>,
  { snapshot, seen }: Pick<RepairState<T>, 'snapshot' | 'seen'>,
  isFromModel: boolean,
  { domain: { validator } }: Pick<RepairInput<T>, 'domain'>,
): Validation<T> {
  const invalid = (reason: string) => ({ kind: 'invalid' as const, reason })
  let candidate: Snapshot
  try {
    for (const edit of plan.edits) validator.checkPlace(edit)
    candidate = applyEdits(snapshot, plan.edits)
  } catch (error) {
    if (error instanceof AutotestError) return invalid(error.message)
    throw error
  }
  if (candidate.hash === snapshot.hash) return invalid('the edit changes nothing')
  const before = seen.get(candidate.hash)
  if (before !== undefined) return { ...invalid(before), isAlreadyReported: true }
  const large = plan.edits.find((edit) => (candidate.files.get(edit.path)?.byteLength ?? 0) > largestFile)
  if (large !== undefined) return invalid(`${large.path} would be larger than 256 KB`)
  const problem = validator.check(plan, snapshot, candidate, isFromModel)
  return problem === undefined ? { kind: 'valid', candidate } : { kind: 'invalid', ...problem }
}

/** Returns why one of the files that a plan changes must not be written; undefined if all may. */
export async function firstObstacle<T extends RepairTypes>(
  before: Snapshot,
  candidate: Snapshot,
  { writeObstacle }: Pick<RepairInput<T>, 'writeObstacle'>,
): Promise<string | undefined> {
  const changes: readonly FileChange[] = changesBetween(before, candidate)
  for (const change of changes) {
    const obstacle = await writeObstacle(change)
    if (obstacle !== undefined) return obstacle
  }
  return undefined
}
