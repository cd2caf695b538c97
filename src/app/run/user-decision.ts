import type { AttemptRecord } from '../../store/record-types.js'

/** Possible decisions about verified repairs in the working tree. */
export type RepairsAnswer = 'commit' | 'keep' | 'revert' | 'one_by_one'

/** Asks about repairs that were written into the working tree. */
export interface RepairsQuestion {
  readonly kind: 'repairs'
  readonly runId: string
  /** `all`: every pending repair; `group`: repairs of a common file, asked about after `one_by_one`. */
  readonly scope: 'all' | 'group'
  /** In the order accepted; each with its diffs. */
  readonly repairs: readonly AttemptRecord[]
  /** Why nothing can be committed, so that `commit` is no option. */
  readonly commitObstacle: string | undefined
  readonly options: readonly RepairsAnswer[]
}

/** Asks about a repair that is proved, and held because of what people wrote. Nothing is written yet. */
export interface HeldRepairQuestion {
  readonly kind: 'held_repair'
  readonly runId: string
  readonly repair: AttemptRecord
  /** What speaks against it, in words. */
  readonly reason: string
  readonly options: readonly HeldRepairAnswer[]
}

export type HeldRepairAnswer = 'accept' | 'leave'

/** A question to a person, tagged by kind. */
export type Question = RepairsQuestion | HeldRepairQuestion
export type Answer = RepairsAnswer | HeldRepairAnswer

/**
 * Asks a person. Resolves to one of the question's options, or to undefined if there is no answer: then
 * nothing is assumed. An answer that is not among the options counts as none.
 */
export type Decide = (question: Question) => Promise<Answer | undefined>
