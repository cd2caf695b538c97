import type { Failure, FailureKind } from './provider.js'

/** Tries of one request that meet trouble: the first and three more. */
const mostTries = 4
const firstPauseMs = 500
const longestPauseMs = 8000
/** An endpoint that asks for more patience than this is not waited for. Most limits of rate are those of a minute. */
export const longestWaitMs = 60_000
/** Each look whether a model is loaded is a call of the budget: minutes of loading are to take few. */
const firstLookMs = 1000
const longestLookMs = 16_000

/** How often each kind of failure came back for one request. */
export type Failures = Readonly<Partial<Record<FailureKind, number>>>

export function plusOne(failures: Failures, { failure }: Failure): Failures {
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
export function waitAfter(
  last: Failure,
  failures: Failures,
  leftMs: number,
  random: () => number,
): number | undefined {
  const jitter = 0.5 + random() / 2
  const within = (wait: number): number | undefined => (wait < leftMs ? wait : undefined)
  switch (last.failure) {
    case 'form':
      return 0
    case 'loading': {
      const pause = doubled(firstLookMs, failures.loading ?? 1, longestLookMs) * jitter
      // More often towards the end, so that no patience is left over.
      return leftMs < firstLookMs ? undefined : within(last.retryAfterMs ?? Math.min(pause, leftMs / 2))
    }
    case 'transient':
    case 'rate_limit': {
      const troubles = (failures.transient ?? 0) + (failures.rate_limit ?? 0)
      const wait = last.retryAfterMs ?? doubled(firstPauseMs, troubles, longestPauseMs) * jitter
      return troubles >= mostTries || wait > longestWaitMs ? undefined : within(wait)
    }
    default:
      return undefined
  }
}

/** @param time from 1 */
function doubled(first: number, time: number, longest: number): number {
  return Math.min(longest, first * 2 ** (time - 1))
}
