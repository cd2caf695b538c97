import type { FileChange } from '../../edit/apply-edits.js'
import type { AutotestError } from '../../errors.js'
import type { Evaluation, Evaluator } from '../../run/evaluate-case.js'
import type { Snapshot } from '../../snapshot/snapshot.js'

import type { QuestionDraft } from '../../store/question-types.js'
import type { AttemptRecord, SharedCause, TriageLabel } from '../../store/record-types.js'

import type { RepairTypes } from './diagnosis.js'
import type { ModelProposer } from './model-proposer.js'
import type { RepairDomain } from './repair-domain.js'

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
  /** The baseline by case id; cases that were never asked are missing. */
  readonly baseline: ReadonlyMap<string, Evaluation<T>>
  /** Ids of cases the user named: never held out while proposing. */
  readonly named: ReadonlySet<string>
  /** Number of plans that are tried for a case's cause; 0: none are proposed. */
  readonly maxRetries: number
  readonly minGrade: 'E1' | 'E2'
  /**
   * Returns why a file must not be written; undefined if it may. A plan that could not be written is not
   * verified.
   */
  readonly writeObstacle: (change: FileChange) => Promise<string | undefined>
  /**
   * Returns the run in which the same change was written and then reverted; absent: earlier runs are not
   * known.
   */
  readonly revertedIn?: ((change: FileChange) => string | undefined) | undefined
  /** Milliseconds on a monotonic clock. */
  readonly clock: () => number
  /** An additional proposer of plans; absent: none. */
  readonly proposer?: ModelProposer<T> | undefined
  /** Whether it is asked before the rules; absent: only if the rules abstain. */
  readonly proposerFirst?: boolean | undefined
  /** Reserves budget for a number of agent calls; absent: calls cost nothing, or are unlimited. */
  readonly reserve?: ModelProposer['reserve'] | undefined
  /** Whether the rules make plans. */
  readonly rules: boolean
  /** Returns the number of model calls so far in the run. */
  readonly llmCalls: () => number
  readonly onStart: (cases: number, causes: number) => void
  /** Called for every verified plan, with the files it changes. */
  readonly onAttempt: (attempt: AttemptRecord, changes: readonly FileChange[]) => void
  /** Called for every repair that is left to people; absent: they are only named in the findings. */
  readonly onQuestion?: ((question: QuestionDraft) => void) | undefined
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
  /** Absent where the case has a cause of its own. */
  readonly sharedCause?: SharedCause | undefined
}

export interface RepairResult {
  /** The knowledge after every accepted repair; nothing has been written to disk. */
  readonly snapshot: Snapshot
  readonly accepted: readonly AcceptedRepair[]
  readonly findings: ReadonlyMap<string, CaseFinding>
  /** The reason why it ended before every cause was tried: the budget, an endpoint; accepted plans remain. */
  readonly abortedBy: AutotestError | undefined
  /** Failures while plans were verified, in words; such a plan is neither accepted nor rejected. */
  readonly unverified: readonly string[]
}
