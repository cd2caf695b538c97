import { setTimeout as pause } from 'node:timers/promises'
import { mostTries, pauseBefore } from '../../platform/retry.js'

/** The response of a service that is temporarily unavailable, or the error of a broken connection. */
export type TransientFailure = Response | { readonly error: unknown }

/** How long one query bears with a service in trouble: through a few tries in a row that get no further. */
export interface RetryPolicy {
  /** Waits as long as is fitting before another try; false where there were enough, or the deadline comes first. */
  waitForRetry(trouble: TransientFailure): Promise<boolean>
  /** So many pages of the answer are read. */
  recordProgress(pages: number): void
  /** The latest; undefined once the answer has got further. */
  readonly lastFailure: TransientFailure | undefined
}

/** `endsAt` is the deadline by `performance.now()`. A wait throws where the signal aborts. */
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
      // Asked again from the first page on, a query that breaks off at the same place each time gets no further.
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
