import type { Estimate } from '../llm/llm-interface.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import type { Sample } from './agent-answer.js'
import type { DomainTypes } from './domain-types.js'

/** Asks the agent under test about cases of one kind, and scores what it answers. */
export interface CaseRunner<T extends DomainTypes> {
  readonly agent: {
    /** Kind and path, as configured: `template`, `module:agents/mine.mjs`. */
    readonly name: string
    /** Whether equal case and snapshot always give an equal answer: then it is asked once. */
    readonly deterministic: boolean
    /** Why its answers are not independent of each other, although they may differ. */
    readonly dependent?: string | undefined
  }
  /**
   * Asks the agent about a case.
   *
   * @param number index of the independent answer, from 0
   */
  ask(testCase: T['case'], snapshot: Snapshot, number: number, signal?: AbortSignal): Promise<Sample>
  /** Whether a judge is configured, so that scoring may have a cost. */
  readonly hasJudge: boolean
  /**
   * Scores a sample.
   *
   * @param isJudged whether a judge may be asked, which has a cost
   */
  score(testCase: T['case'], sample: Sample, isJudged: boolean, signal?: AbortSignal): Promise<T['score']>
  /** Returns a key that is equal for cases in which every answer has the same score. */
  scoringKey(testCase: T['case']): string
  /** Returns the budget that asking needs; undefined if it is free or unknown. */
  estimate?(testCase: T['case'], snapshot: Snapshot, number: number): Promise<Estimate | undefined>
}
