import type { SqlCase } from '../../../../benchmark/case.js'
import type { RepairContext } from './repair-context.js'

/** The former states of the knowledge base and of the benchmark; each is read only when requested. */
export interface History {
  /** Returns the content of a knowledge base file before each change, newest first. */
  versionsOf(path: string): Promise<readonly PreviousVersion[]>
  /**
   * Returns the expected queries of a case before each change, newest first, as far as they can be run today.
   */
  queriesOf(testCase: SqlCase): Promise<readonly PreviousQuery[]>
  /** Returns cases, in their former state, whose expected query a change modified or removed. */
  casesChangedBy(by: string): Promise<readonly SqlCase[]>
  /** Returns the files of the knowledge base that a change modified. */
  knowledgeChangedBy(by: string): Promise<readonly ChangedKnowledge[]>
  /** Returns the changes of the knowledge base, newest first. Absent: not known. */
  changes?(): Promise<readonly KnowledgeChange[]>
  /** Returns the content of a file right after a change; undefined if it did not exist. Absent: not known. */
  textAfter?(path: string, by: string): Promise<string | undefined>
  /**
   * Returns where each line of a file comes from, as committed moves of the file show it. Absent: not known.
   */
  lineOrigins?(path: string): Promise<readonly LineOrigin[]>
  /**
   * Returns the commit of a change, and behind it those that it merged; empty for what is not committed. Absent:
   * not known.
   */
  commitsOf?(by: string): Promise<readonly CommitText[]>
  /** Returns the commits after a change, newest first. Absent: not known. */
  commitsAfter?(by: string): Promise<readonly CommitText[]>
  /**
   * Returns the commit with which the history of a shallow clone begins; undefined where it is whole. Absent: not known.
   */
  boundary?(): Promise<CommitText | undefined>
  /** Returns the last change of a case; undefined if it is in no commit. Absent: not known. */
  lastChangeOf?(testCase: SqlCase): Promise<CommitText | undefined>
  /** Returns the day of a commit, as `YYYY-MM-DD`; undefined for what is not committed. Absent: not known. */
  dateOf?(by: string): Promise<string | undefined>
}

/** A change and the files of the knowledge base that it touched; a move touches both names. */
export interface KnowledgeChange {
  /** `commit 1a2b3c4`, or `an uncommitted change`. */
  readonly by: string
  readonly paths: readonly string[]
}

/** Where a line of today's file comes from. */
export type LineOrigin =
  /** `commit 1a2b3c4…` */
  | { readonly kind: 'commit'; readonly by: string }
  | { readonly kind: 'uncommitted' }
  /** The line is as old as the known history: nobody can tell when it was written. */
  | { readonly kind: 'unknown' }

/** A change, and what its author wrote about it. */
export interface CommitText {
  /** `commit 1a2b3c4`, or `an uncommitted change`. */
  readonly by: string
  /** `YYYY-MM-DD` */
  readonly date: string | undefined
  readonly subject: string | undefined
  /** The message below the subject, without trailers. */
  readonly body?: string | undefined
  /** Keys of the trailers. */
  readonly trailers?: readonly string[] | undefined
  /** Changed files. */
  readonly paths?: readonly string[] | undefined
}

/** A file before and after a change; undefined where it did not exist, and after an uncommitted change. */
export interface ChangedKnowledge {
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
}

export interface PreviousVersion {
  readonly text: string
  /** The change that ended it: `commit 1a2b3c4`. */
  readonly by: string
  /** Whether that change deleted the file. */
  readonly isDeletion?: boolean | undefined
}

export interface PreviousQuery {
  readonly question: string
  readonly sql: string
  /** The change that made it: `commit 1a2b3c4`. */
  readonly by: string
}

export interface HistoryContext extends RepairContext {
  readonly history?: History | undefined
}
