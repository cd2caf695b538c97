import { applyEdits } from '../../edit/apply-edits.js'
import type { Edit } from '../../edit/edit-types.js'
import { AutotestError } from '../../errors.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { TriageLabel } from '../../store/record-types.js'
import type { RepairTypes } from './diagnosis.js'

/** Typed edits that should make the cases of a cluster pass, and why. */
export interface RepairPlan<T extends RepairTypes = RepairTypes> {
  readonly label: TriageLabel
  readonly subject: string
  /** One line: "dau: filter tz_type = 'local' was missing". */
  readonly title: string
  readonly reasoning: string
  readonly edits: readonly Edit[]
  /** Cases it is meant to fix. */
  readonly cases: readonly T['case'][]
  /** Whether the expected answers were visible when it was made; always true for `rules`. */
  readonly goldExposed: boolean
  /** Number of changed tokens or characters, to prefer the smallest plan. */
  readonly size: number
  /** Equal for plans that make the same change in different entries. */
  readonly signature: string
  /** Its text is a former text of the knowledge, and was not made from the expected answers. */
  readonly isRestored?: true | undefined
  /** Whether it takes back the very change with which its cases began to fail, and nothing else. */
  readonly undoesBreak?: true | undefined
  /** Whether all its cases passed, on the data and on copies, before it was proposed. */
  readonly isTried?: true | undefined
  /** Files for which that is true, if not for all. */
  readonly restoredPaths?: readonly string[] | undefined
  /** Reasons against a change that only one case supports, known when the plan was made. */
  readonly concerns?: readonly string[] | undefined
}

/** The request for plans: the cases that fail from one cause. */
export interface ProposalRequest<T extends RepairTypes = RepairTypes> {
  readonly label: TriageLabel
  readonly subject: string
  readonly diagnoses: readonly T['diagnosis'][]
}

export interface Proposals<T extends RepairTypes = RepairTypes> {
  /** Smallest first. */
  readonly plans: readonly RepairPlan<T>[]
  /** Why there is none, in words. */
  readonly abstained?: string | undefined
}

/** Returns the snapshot with the plan applied; undefined if its edits do not apply. */
export function applyPlan(plan: Pick<RepairPlan, 'edits'>, snapshot: Snapshot): Snapshot | undefined {
  try {
    return applyEdits(snapshot, plan.edits)
  } catch (error) {
    if (error instanceof AutotestError) return undefined
    throw error
  }
}
