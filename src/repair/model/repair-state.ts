import type { AutotestError } from '../../errors.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { Findings } from './case-findings.js'
import type { RepairTypes } from './diagnosis.js'
import type { Evaluations } from './repair-domain.js'
import type { AcceptedRepair, RepairInput } from './repair-input.js'

/** The knowledge with all accepted repairs, and what was learned so far; each step returns a new state. */
export interface RepairState<T extends RepairTypes = RepairTypes> {
  readonly snapshot: Snapshot
  readonly current: Evaluations<T>
  readonly accepted: readonly AcceptedRepair[]
  readonly findings: Findings
  /** Failures while plans were verified, in words. */
  readonly unverified: readonly string[]
  /** Keys of candidates whose plans were all tried. */
  readonly exhausted: ReadonlySet<string>
  /**
   * Clusters for which the model has no acceptable plan; if it is asked first, the rules continue with them.
   */
  readonly asked: ReadonlySet<string>
  /** Hash of the knowledge → why a plan that results in it is refused. */
  readonly seen: ReadonlyMap<string, string>
  /**
   * By case id; kept after accepts that should not affect them: diagnosing all of them again is most of the
   * work.
   */
  readonly diagnoses: ReadonlyMap<string, T['diagnosis']>
  /** Whether a kept diagnosis may be of earlier knowledge. */
  readonly mayBeStale: boolean
  /** Number of plans that were verified. */
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
 * `obstructed`: it would change a file that must not be written, or a person has to decide; nothing was
 * verified. `unverified`: agent or engine failed during verification. `ended`: nothing more can be tried.
 */
export type PlanOutcome = 'accepted' | 'rejected' | 'invalid' | 'obstructed' | 'unverified' | 'ended'

/**
 * Reports whether no further plan for the same cause is tried: it would be chosen for where it writes, and
 * not for its content.
 */
export function stopsCandidate(outcome: PlanOutcome): boolean {
  return outcome === 'obstructed' || outcome === 'unverified' || outcome === 'ended'
}

/** The result of trying a plan. */
export interface TriedPlan<T extends RepairTypes> {
  readonly state: RepairState<T>
  readonly outcome: PlanOutcome
}

/** The result of trying one kind of plans for a candidate; `stopped`: no other kind is to be tried. */
export interface TriedPlans<T extends RepairTypes> {
  readonly state: RepairState<T>
  readonly outcome: 'none' | 'tried' | 'stopped' | 'accepted'
}
