import type { Failure, FailureKind } from './provider.js'

/** Tries of one request that meet trouble: the first and three more. */
const maxTries = 4
const initialPauseMs = 500
const maxPauseMs = 8000
/** An endpoint that asks for more patience than this is not waited for. Most limits of rate are those of a minute. */
export const maxWaitMs = 60_000
/** Each look whether a model is loaded is a call of the budget: minutes of loading are to take few. */
const initialPollMs = 1000
const maxPollMs = 16_000

/** How often each kind of failure came back for one request. */
export type FailureCounts = Readonly<Partial<Record<FailureKind, number>>>

export function countFailure(failures: FailureCounts, { failure }: Failure): FailureCounts {
  return { ...failures, [failure]: (failures[failure] ?? 0) + 1 }
}

/**
 * How long to wait before the next try, in milliseconds: what the endpoint asks for, or a pause that doubles, with
 * jitter so that calls that failed together do not come back together. Undefined: it is not worth waiting. What is learnt about the
 * form of a request, and a model that is being loaded, take none of the tries that there are for trouble: the first has an
 * end of its own, as there are few forms, and the second ends with the deadline.
 *
 * @param failures of this request, the last one included
 * @param random from 0 to 1
 */
export function backoffAfter(
  last: Failure,
  failures: FailureCounts,
  leftMs: number,
  random: () => number,
): number | undefined {
  const jitter = 0.5 + random() / 2
  const within = (wait: number): number | undefined => (wait < leftMs ? wait : undefined)
  switch (last.failure) {
    case 'form':
      return 0
    case 'loading': {
      const pause = exponential(initialPollMs, failures.loading ?? 1, maxPollMs) * jitter
      // More often towards the end, so that no patience is left over.
      return leftMs < initialPollMs ? undefined : within(last.retryAfterMs ?? Math.min(pause, leftMs / 2))
    }
    case 'transient':
    case 'rate_limit': {
      const troubles = (failures.transient ?? 0) + (failures.rate_limit ?? 0)
      const wait = last.retryAfterMs ?? exponential(initialPauseMs, troubles, maxPauseMs) * jitter
      return troubles >= maxTries || wait > maxWaitMs ? undefined : within(wait)
    }
    default:
      return undefined
  }
}

/** @param time from 1 */
function exponential(first: number, time: number, longest: number): number {
  return Math.min(longest, first * 2 ** (time - 1))
}
