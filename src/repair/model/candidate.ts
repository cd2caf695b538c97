import type { RepairTypes } from './diagnosis.js'
import type { RepairPlan } from './repair-plan.js'

/** How many held-out cases pass with a plan. */
export interface HeldOutScore {
  readonly passed: number
  readonly of: number
}

/** A unit to try as one repair: a cluster with its plans, or several clusters that need the same change. */
export interface RepairCandidate<T extends RepairTypes = RepairTypes> {
  readonly key: string
  readonly clusterKeys: readonly string[]
  readonly diagnoses: readonly T['diagnosis'][]
  /** Smallest first. */
  readonly plans: readonly RepairPlan<T>[]
  readonly abstained: string | undefined
  /**
   * Cases whose expected answer contradicts the others of their cluster; all of them if no side is larger.
   */
  readonly contradicting: readonly T['diagnosis'][]
  /** Cases that its plan was made without; absent: determined by making the plan again without each. */
  readonly heldOut?: readonly T['diagnosis'][] | undefined
  /** The number of its cases without which its plan would still have been chosen, if known. */
  readonly crossValidation?: HeldOutScore | undefined
}

/** Reports whether each cluster of the diagnoses has a case to hold out and one to learn from. */
export function hasTwoCasesPerCluster<T extends RepairTypes>(diagnoses: readonly T['diagnosis'][]): boolean {
  return diagnoses.every((diagnosis) =>
    diagnoses.some((other) => other !== diagnosis && other.cluster === diagnosis.cluster),
  )
}
