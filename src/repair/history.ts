import type { SqlCase } from '../benchmark/case.js'
import type { RepairContext } from './knowledge.js'

/** What is known of earlier states of the knowledge and of the benchmark; nothing is read before it is asked for. */
export interface History {
  /** What a file of the knowledge base held before each change, newest first. */
  textsOf(path: string): Promise<readonly { readonly text: string }[]>
  /** What a case expected before each change, newest first, as far as it can be run today. */
  queriesOf(testCase: SqlCase): Promise<readonly FormerQuery[]>
}

export interface FormerQuery {
  readonly question: string
  readonly sql: string
  /** What changed it: `commit 1a2b3c4`. */
  readonly by: string
}

export interface HistoryContext extends RepairContext {
  readonly history?: History | undefined
}
