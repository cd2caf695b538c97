import type { SqlCase } from '../../../../benchmark/case.js'
import type { StoredValues } from '../../../../contracts/stored-values.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import type { SqlEvaluator } from '../../evaluator.js'
import type { HistoryContext } from './knowledge-history.js'
import type { ProposalRequest, Proposals, SqlEvaluation } from './sql-repair-types.js'

/** The means to score queries and to ask the agent while plans are proposed and verified. */
export interface ScoringContext extends HistoryContext {
  readonly evaluator: SqlEvaluator
  readonly concurrency: number
  readonly signal: AbortSignal
  /** Every case of the benchmark, whatever the filters. */
  readonly benchmark: readonly SqlCase[]
  /**
   * Reports whether the rows of an expected query make a usable twin: they are not empty and differ from
   * those of the original.
   */
  readonly distinguishes: (twin: SqlCase, original: SqlCase) => Promise<boolean>
  /** Returns what is known of the data that a case's queries read. Absent: nothing. */
  readonly storedValues?: ((testCase: SqlCase) => Promise<StoredValues | undefined>) | undefined
}

/** The context for proposing former states of entries. */
export interface RestoreContext extends ScoringContext {
  /** Ids of cases the user named: never held out while proposing. */
  readonly named: ReadonlySet<string>
  /** Latest evaluations by case id. */
  readonly current: ReadonlyMap<string, SqlEvaluation>
  /** Proposes plans by rules, for what is still wrong after a former state is restored. */
  readonly propose: (request: ProposalRequest, snapshot: Snapshot) => Proposals
}
