import type { Sample } from '../contracts/agent-answer.js'
import type { Dialect } from '../enums/dialect.js'
import type { KnowledgeEntry } from '../kb/entries/entry-format.js'
import type { Estimate } from '../llm/llm-interface.js'
import type { Snapshot } from '../snapshot/snapshot.js'

/** The question to an agent, without the expected query. */
export interface Question {
  readonly id: string
  readonly question: string
  /** Dialect in which the answer is to be written. */
  readonly dialect: Dialect
  /** URL of the database that the question is about; undefined: the configured one. */
  readonly engine?: string | undefined
  /** ISO date that relative periods refer to. */
  readonly asOf: string
  /** Index of the independent answer, from 0: agents that cache answers use it as part of the key. */
  readonly sample: number
  /** Entries that give the answer away, for an agent that reads entries; another one gets a snapshot without them. */
  readonly own?: readonly KnowledgeEntry[] | undefined
}

export interface Agent {
  /** Kind and path, as configured: `template`, `module:agents/mine.mjs`. */
  readonly name: string
  /** Whether equal question and snapshot always give an equal answer: then it is asked once. */
  readonly deterministic: boolean
  /** Whether it is autotest's own and reads the entries of other formats in this process. */
  readonly isOwn?: boolean | undefined
  /**
   * Why asking again gives no independent answer, although the agent may answer differently: then it is not asked
   * repeatedly to be measured.
   */
  readonly dependent?: string | undefined
  /**
   * Reads the snapshot, never the disk. Does not throw if the agent fails: that is a sample of kind `error`.
   */
  ask(question: Question, snapshot: Snapshot, signal?: AbortSignal): Promise<Sample>
  /**
   * Returns the budget that asking needs, if known beforehand; undefined if it is free.
   *
   * @param answerLength expected number of characters of the answer
   */
  estimate?(question: Question, snapshot: Snapshot, answerLength: number): Promise<Estimate | undefined>
  close(): Promise<void>
}
