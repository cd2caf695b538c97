import { setTimeout as pause } from 'node:timers/promises'
import { mostTries, pauseBefore } from '../../platform/http-retry.js'

/** The response of a service that is temporarily unavailable, or the error of a broken connection. */
export type TransientFailure = Response | { readonly error: unknown }

/** How long one query tolerates a failing service: a few consecutive tries without progress. */
export interface RetryPolicy {
  /**
   * Waits for an appropriate time before another try; false if there were enough, or the deadline comes
   * first.
   */
  waitForRetry(trouble: TransientFailure): Promise<boolean>
  /** Reports the number of pages read so far. */
  recordProgress(pages: number): void
  /** The latest failure; undefined after progress. */
  readonly lastFailure: TransientFailure | undefined
}

/**
 * Creates the policy. `endsAt` is the deadline by `performance.now()`. A wait throws if the signal aborts.
 */
export function createRetryPolicy(endsAt: number, signal: AbortSignal): RetryPolicy {
  let latest: TransientFailure | undefined
  let tries = 1
  let furthest = 0
  return {
    async waitForRetry(trouble) {
      latest = trouble
      if (tries === mostTries) return false
      tries++
      const retryAfter = !('error' in trouble) ? trouble.headers.get('retry-after') : null
      const pauseMs = pauseBefore(tries, retryAfter, Date.now())
      if (performance.now() + pauseMs >= endsAt) return false
      await pause(pauseMs, undefined, { signal })
      return true
    },
    recordProgress(pages) {
      // A query that is repeated from the first page and fails at the same place each time makes no progress.
      if (pages <= furthest) return
      furthest = pages
      tries = 1
      latest = undefined
    },
    get lastFailure() {
      return latest
    },
  }
}
