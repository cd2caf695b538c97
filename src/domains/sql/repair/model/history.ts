import type { SqlCase } from '../../../../benchmark/case.js'
import type { RepairContext } from './knowledge.js'

/** What is known of earlier states of the knowledge and of the benchmark; nothing is read before it is asked for. */
export interface History {
  /** What a file of the knowledge base held before each change, newest first. */
  versionsOf(path: string): Promise<readonly PreviousVersion[]>
  /** What a case expected before each change, newest first, as far as it can be run today. */
  queriesOf(testCase: SqlCase): Promise<readonly PreviousQuery[]>
  /** Cases, as they were before, whose expected query a change gave another text or took away. */
  casesChangedBy(by: string): Promise<readonly SqlCase[]>
  /** Files of the knowledge base that a change touched. */
  knowledgeChangedBy(by: string): Promise<readonly ChangedKnowledge[]>
  /** What a file held right after a change; undefined where it was not there. Absent: nothing is known of it. */
  textAfter?(path: string, by: string): Promise<string | undefined>
  /** The day of a commit, as `YYYY-MM-DD`; undefined of what is not committed. Absent: nothing is known of it. */
  dateOf?(by: string): Promise<string | undefined>
}

/** A file on both sides of a change; undefined where it was not there, or is what it is today. */
export interface ChangedKnowledge {
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
}

export interface PreviousVersion {
  readonly text: string
  /** What changed it: `commit 1a2b3c4`. */
  readonly by: string
}

export interface PreviousQuery {
  readonly question: string
  readonly sql: string
  /** What changed it: `commit 1a2b3c4`. */
  readonly by: string
}

export interface HistoryContext extends RepairContext {
  readonly history?: History | undefined
}
