import type { Sample } from '../contracts/sample.js'
import type { Dialect } from '../enums/dialect.js'
import type { Estimate } from '../llm/llm.js'
import type { Snapshot } from '../snapshot/snapshot.js'

/** The question to an agent, without the expected query. */
export interface Question {
  readonly id: string
  readonly question: string
  /** Dialect the answer is to be written in. */
  readonly dialect: Dialect
  /** URL of the database that it is about; undefined: the configured one. */
  readonly engine?: string | undefined
  /** ISO date that relative periods refer to. */
  readonly asOf: string
  /** Which of several independent answers this is, from 0: an agent that remembers its answers does so by it. */
  readonly sample: number
}

export interface Agent {
  /** Kind and path, as configured: `template`, `module:agents/mine.mjs`. */
  readonly name: string
  /** Equal question and snapshot always give an equal answer: it is asked once. */
  readonly deterministic: boolean
  /** Reads the snapshot, never the disk. Does not throw for a broken agent: that is a sample of kind `error`. */
  ask(question: Question, snapshot: Snapshot, signal?: AbortSignal): Promise<Sample>
  /**
   * Returns the budget that asking needs, where it is known before; undefined where it is free.
   *
   * @param answerLength characters that the answer probably has
   */
  estimate?(question: Question, snapshot: Snapshot, answerLength: number): Promise<Estimate | undefined>
  close(): Promise<void>
}
