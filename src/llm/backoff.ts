import type { Failure, FailureKind } from './provider.js'

/** Maximal number of tries of one request that fail temporarily: the first and three more. */
const maxTries = 4
const initialPauseMs = 500
const maxPauseMs = 8000
/** If an endpoint requests a longer wait, the request fails. Most rate limits are per minute. */
export const maxWaitMs = 60_000
/** Each poll for a loading model is a call of the budget: a load of some minutes should need few. */
const initialPollMs = 1000
const maxPollMs = 16_000

/** How often each kind of failure occurred for one request. */
export type FailureCounts = Readonly<Partial<Record<FailureKind, number>>>

export function countFailure(failures: FailureCounts, { failure }: Failure): FailureCounts {
  return { ...failures, [failure]: (failures[failure] ?? 0) + 1 }
}

/**
 * Returns the wait before the next try, in milliseconds: the one that the endpoint requests, or a pause that
 * doubles, with jitter so that calls that failed together are not repeated together. Undefined: waiting is
 * useless. Failures about the form of a request, and a loading model, do not count against the tries for
 * temporary failures: the first end by themselves, as there are few forms, and the second ends with the
 * deadline.
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
  if (last.final === true) return undefined
  const jitter = 0.5 + random() / 2
  const within = (wait: number): number | undefined => (wait < leftMs ? wait : undefined)
  switch (last.failure) {
    case 'form':
      return 0
    case 'loading': {
      const pause = exponential(initialPollMs, failures.loading ?? 1, maxPollMs) * jitter
      // More often towards the end, so that the whole time is used.
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
