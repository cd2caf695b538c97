import type { Failure } from './provider.js'

/** Tries of one request: the first and three more. */
const mostTries = 4
const firstPauseMs = 500
const longestPauseMs = 8000
/** An endpoint that asks for more patience than this is not waited for. */
export const longestWaitMs = 30_000

/**
 * How long to wait before the next try, in milliseconds: what the endpoint asks for, or a pause that doubles, with
 * jitter so that calls that failed together do not come back together. Undefined: it is not worth waiting.
 *
 * @param attempt the try that failed, from 0
 * @param random from 0 to 1
 */
export function waitAfter(
  failure: Failure,
  attempt: number,
  leftMs: number,
  random: () => number,
): number | undefined {
  if (failure.failure !== 'transient' || attempt + 1 >= mostTries) return undefined
  const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** attempt) * (0.5 + random() / 2)
  const wait = failure.retryAfterMs ?? pause
  return wait > longestWaitMs || wait >= leftMs ? undefined : wait
}
