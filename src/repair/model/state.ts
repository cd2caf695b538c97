import type { AutotestError } from '../../errors.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { RepairTypes } from './diagnosis.js'
import type { Evaluations } from './domain.js'
import type { Findings } from './findings.js'
import type { AcceptedRepair, RepairInput } from './input.js'

/** The knowledge that repairs are stacked on, and what was learned on the way; each step returns a new one. */
export interface RepairState<T extends RepairTypes = RepairTypes> {
  readonly snapshot: Snapshot
  readonly current: Evaluations<T>
  readonly accepted: readonly AcceptedRepair[]
  readonly findings: Findings
  /** Failures while plans were verified, in words. */
  readonly unverified: readonly string[]
  /** Candidates, by key, whose plans are used up. */
  readonly exhausted: ReadonlySet<string>
  /** Clusters that the model has no plan for that holds; the rules go on with them, where it is asked first. */
  readonly asked: ReadonlySet<string>
  /** State of the knowledge, by hash → why a plan that leads there is refused. */
  readonly seen: ReadonlyMap<string, string>
  /** By case id; kept over the accepts that should not concern them: looking at all of them again is most of the work. */
  readonly diagnoses: ReadonlyMap<string, T['diagnosis']>
  /** Whether a kept diagnosis might be of earlier knowledge. */
  readonly mayBeStale: boolean
  /** Plans that were verified. */
  readonly attempts: number
  /** The reason why the repair ended before every cause was tried: the budget, an endpoint. */
  readonly ended?: AutotestError | undefined
}

export function initialState<T extends RepairTypes>(input: RepairInput<T>): RepairState<T> {
  return {
    snapshot: input.snapshot,
    current: input.baseline,
    accepted: [],
    findings: new Map(),
    unverified: [],
    exhausted: new Set(),
    asked: new Set(),
    seen: new Map(),
    diagnoses: new Map(),
    mayBeStale: false,
    attempts: 0,
  }
}

/**
 * `obstructed`: it would change a file that may not be written, or a person is to decide; nothing was verified.
 * `unverified`: agent or engine broke while it was. `ended`: nothing more can be tried.
 */
export type PlanOutcome = 'accepted' | 'rejected' | 'invalid' | 'obstructed' | 'unverified' | 'ended'

/** Whether another plan for the same cause would be chosen for where it writes, and not for what it says. */
export function stopsCandidate(outcome: PlanOutcome): boolean {
  return outcome === 'obstructed' || outcome === 'unverified' || outcome === 'ended'
}

/** The result of trying a plan. */
export interface TriedPlan<T extends RepairTypes> {
  readonly state: RepairState<T>
  readonly outcome: PlanOutcome
}

/** The result of trying one kind of plans for a candidate; `stopped`: no other kind is worth trying. */
export interface TriedPlans<T extends RepairTypes> {
  readonly state: RepairState<T>
  readonly outcome: 'none' | 'tried' | 'stopped' | 'accepted'
}
