import type { Snapshot } from '../../snapshot/snapshot.js'
import type { RepairTypes } from './diagnosis.js'
import type { RepairPlan } from './repair-plan.js'

/** A plan that was tried for the same cause, and its outcome. */
export interface PreviousAttempt {
  /** Its edits as a unified diff; only the reason if they changed nothing. */
  readonly diff: string
  readonly outcome: string
}

export interface ModelRequest<T extends RepairTypes = RepairTypes> {
  /** Cases it learns from; held-out cases are not among them. */
  readonly diagnoses: readonly T['diagnosis'][]
  readonly snapshot: Snapshot
  /** Questions that are answered correctly from the same knowledge. */
  readonly protect: readonly string[]
  readonly earlier: readonly PreviousAttempt[]
}

export type ModelProposal<T extends RepairTypes = RepairTypes> =
  | { readonly kind: 'plan'; readonly plan: RepairPlan<T> }
  /** The model abstains, or its output cannot be used. */
  | { readonly kind: 'none'; readonly reason: string }

/** A model that makes plans one at a time, learning from failed ones; asked if the rules abstain. */
export interface ModelProposer<T extends RepairTypes = RepairTypes> {
  propose(request: ModelRequest<T>): Promise<ModelProposal<T>>
  /** Reserves budget for a number of agent calls; throws `budget_exhausted` if too little is left. */
  reserve(asks: number): { release(): void }
}
