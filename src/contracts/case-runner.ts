import type { Estimate } from '../llm/llm.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import type { DomainTypes } from './domain-types.js'
import type { Sample } from './sample.js'

/** Asks the agent under test about cases of one kind, and scores what it answers. */
export interface CaseRunner<T extends DomainTypes> {
  readonly agent: {
    /** Kind and path, as configured: `template`, `module:agents/mine.mjs`. */
    readonly name: string
    /** Equal case and snapshot always give an equal answer: it is asked once. */
    readonly deterministic: boolean
  }
  /** @param number which of several independent answers it is, from 0 */
  ask(testCase: T['case'], snapshot: Snapshot, number: number, signal?: AbortSignal): Promise<Sample>
  /** Whether a judge is configured, so that scoring may cost. */
  readonly hasJudge: boolean
  /** @param isJudged whether a judge may be asked, which costs */
  score(testCase: T['case'], sample: Sample, isJudged: boolean, signal?: AbortSignal): Promise<T['score']>
  /** Equal for two cases to which every answer scores alike. */
  scoringKey(testCase: T['case']): string
  /** Returns the budget that asking needs; undefined where it is free or unknown. */
  estimate?(testCase: T['case'], snapshot: Snapshot, number: number): Promise<Estimate | undefined>
}
