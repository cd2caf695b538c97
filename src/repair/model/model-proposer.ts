import type { Snapshot } from '../../snapshot/snapshot.js'
import type { RepairTypes } from './diagnosis.js'
import type { RepairPlan } from './plan.js'

/** A plan that was tried for the same cause, and what came of it. */
export interface PreviousAttempt {
  /** Its edits as a unified diff; only the reason where nothing could be changed. */
  readonly diff: string
  readonly outcome: string
}

export interface ModelRequest<T extends RepairTypes = RepairTypes> {
  /** Cases it learns from; those that are left out are not among them. */
  readonly diagnoses: readonly T['diagnosis'][]
  readonly snapshot: Snapshot
  /** Questions that are answered well and read the same knowledge. */
  readonly protect: readonly string[]
  readonly earlier: readonly PreviousAttempt[]
}

export type ModelProposal<T extends RepairTypes = RepairTypes> =
  | { readonly kind: 'plan'; readonly plan: RepairPlan<T> }
  /** It abstains, or what it says cannot be taken. */
  | { readonly kind: 'none'; readonly reason: string }

/** A model that makes plans one at a time, learning from those that failed; asked where rules abstain. */
export interface ModelProposer<T extends RepairTypes = RepairTypes> {
  propose(request: ModelRequest<T>): Promise<ModelProposal<T>>
  /** Sets aside what asking an agent so often takes; throws `budget_exhausted` where that much is not left. */
  reserve(asks: number): { release(): void }
}
