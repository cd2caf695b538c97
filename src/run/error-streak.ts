import { isInfrastructureCause } from '../contracts/score.js'
import type { Evaluation } from './evaluate-case.js'

/** After this number of equal errors in a row the agent or the engine is taken to be absent, not unlucky. */
export const longestErrorStreak = 10

/** Counts equal errors of agent or engine, as answers arrive. */
export function createErrorStreak(): (evaluation: Evaluation) => string | undefined {
  let reason: string | undefined
  let length = 0
  /** Returns the error once it has occurred so often in a row. */
  return ({ score }) => {
    const current =
      score.verdict === 'error' && isInfrastructureCause(score.errorCause) ? score.reason : undefined
    length = current !== undefined && current === reason ? length + 1 : 1
    reason = current
    return current !== undefined && length >= longestErrorStreak ? current : undefined
  }
}
