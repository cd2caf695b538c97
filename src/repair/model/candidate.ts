import type { RepairTypes } from './diagnosis.js'
import type { RepairPlan } from './plan.js'

/** How many cases that took no part in making a plan pass with it. */
export interface HeldOutScore {
  readonly passed: number
  readonly of: number
}

/** Something to try as one repair: a cluster with its plans, or several clusters that need the same change. */
export interface RepairCandidate<T extends RepairTypes = RepairTypes> {
  readonly key: string
  readonly clusterKeys: readonly string[]
  readonly diagnoses: readonly T['diagnosis'][]
  /** Smallest first. */
  readonly plans: readonly RepairPlan<T>[]
  readonly abstained: string | undefined
  /** Cases whose expected answer contradicts the others of their cluster; all of them where no side is the larger. */
  readonly contradicting: readonly T['diagnosis'][]
  /** Cases that its plan was made without; absent: they are found by making the plan again without each. */
  readonly heldOut?: readonly T['diagnosis'][] | undefined
  /** How many of its cases its plan would have been chosen without, where that is known. */
  readonly crossValidation?: HeldOutScore | undefined
}

/** Whether each cluster of the diagnoses has a case to leave out and one to learn from. */
export function hasTwoCasesPerCluster<T extends RepairTypes>(diagnoses: readonly T['diagnosis'][]): boolean {
  return diagnoses.every((diagnosis) =>
    diagnoses.some((other) => other !== diagnosis && other.cluster === diagnosis.cluster),
  )
}
