import type { FileChange } from '../../edit/apply.js'
import type { AutotestError } from '../../errors.js'
import type { Evaluation, Evaluator } from '../../run/evaluate.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { AttemptRecord, TriageLabel } from '../../store/records.js'
import type { RepairTypes } from './diagnosis.js'
import type { RepairDomain } from './domain.js'
import type { ModelProposer } from './model-proposer.js'

/** The dependencies for asking cases with a candidate. */
export interface AskContext<T extends RepairTypes = RepairTypes> {
  readonly evaluator: Evaluator<T>
  readonly concurrency: number
  readonly signal: AbortSignal
}

/** The input of the repair loop. */
export interface RepairInput<T extends RepairTypes = RepairTypes> extends AskContext<T> {
  readonly domain: RepairDomain<T>
  readonly snapshot: Snapshot
  /** Every case of the benchmark, whatever the filters. */
  readonly benchmark: readonly T['case'][]
  /** Stable failures among the selected cases. */
  readonly failing: readonly Evaluation<T>[]
  /** The baseline by case id; cases never asked are missing. */
  readonly baseline: ReadonlyMap<string, Evaluation<T>>
  /** Cases the user named: never left out while proposing. */
  readonly named: ReadonlySet<string>
  /** Plans that a case's cause is tried with; 0 proposes nothing. */
  readonly maxRetries: number
  readonly minGrade: 'E1' | 'E2'
  /** Why a file may not be written, where it may not: nothing is verified that could not be kept. */
  readonly writeObstacle: (change: FileChange) => Promise<string | undefined>
  /** The run in which the same was written, and reverted since; absent: nothing is known of earlier runs. */
  readonly revertedIn?: ((change: FileChange) => string | undefined) | undefined
  /** Milliseconds on a clock that never goes back. */
  readonly clock: () => number
  /** An additional proposer of plans; absent: none. */
  readonly proposer?: ModelProposer<T> | undefined
  /** Whether it is asked first, and the rules make plans for what it leaves; absent: where the rules abstain. */
  readonly proposerFirst?: boolean | undefined
  /** Sets aside what asking the agent so often takes; absent: nothing is paid for it, or without limit. */
  readonly reserve?: ModelProposer['reserve'] | undefined
  /** Whether the rules make plans. */
  readonly rules: boolean
  /** Calls to models so far in the run. */
  readonly llmCalls: () => number
  readonly onStart: (cases: number, causes: number) => void
  /** Every plan that was verified, with the files it changes. */
  readonly onAttempt: (attempt: AttemptRecord, changes: readonly FileChange[]) => void
  readonly onProgress: (asked: number, total: number) => void
}

export interface AcceptedRepair {
  readonly attempt: AttemptRecord
  readonly changes: readonly FileChange[]
}

/** The outcome of a failing case. */
export interface CaseFinding {
  readonly label: TriageLabel
  readonly cause: string
  readonly retries: number
  readonly repairId: string | undefined
}

export interface RepairResult {
  /** The knowledge after every accepted repair; nothing has been written. */
  readonly snapshot: Snapshot
  readonly accepted: readonly AcceptedRepair[]
  readonly findings: ReadonlyMap<string, CaseFinding>
  /** The reason why it ended before every cause was tried: the budget, an endpoint; accepted plans remain. */
  readonly abortedBy: AutotestError | undefined
  /** Failures while plans were verified, in words; such a plan is neither accepted nor rejected. */
  readonly unverified: readonly string[]
}
