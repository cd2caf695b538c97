import type { SqlCase } from '../../../../benchmark/case.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import type { SqlEvaluator } from '../../evaluator.js'
import type { HistoryContext } from './history.js'
import type { ProposalRequest, Proposals, SqlEvaluation } from './plan.js'

/** What it takes to score queries and to ask the agent while plans are made and proved. */
export interface ScoringContext extends HistoryContext {
  readonly evaluator: SqlEvaluator
  readonly concurrency: number
  readonly signal: AbortSignal
  /** Every case of the benchmark, whatever the filters. */
  readonly benchmark: readonly SqlCase[]
  /** Whether the rows of an expected query are a usable twin's: not empty, and not those of the original. */
  readonly distinguishes: (twin: SqlCase, original: SqlCase) => Promise<boolean>
}

/** What proposing earlier states takes, too. */
export interface RestoreContext extends ScoringContext {
  /** Cases the user named: never left out while proposing. */
  readonly named: ReadonlySet<string>
  /** Latest evaluations by case id. */
  readonly current: ReadonlyMap<string, SqlEvaluation>
  /** Plans of the rules, for what is wrong behind an earlier state. */
  readonly propose: (request: ProposalRequest, snapshot: Snapshot) => Proposals
}
