import { setTimeout as pause } from 'node:timers/promises'
import { mostTries, pauseBefore } from '../../retry.js'

/** What a service answers that is not there for now, or the error of a connection that broke. */
export type Trouble = Response | { readonly error: unknown }

/** How long one query bears with a service in trouble: through a few tries in a row that get no further. */
export interface Patience {
  /** Waits as long as is fitting before another try; false where there were enough, or the deadline comes first. */
  mayAskAgain(trouble: Trouble): Promise<boolean>
  /** So many pages of the answer are read. */
  reached(pages: number): void
  /** The latest; undefined once the answer has got further. */
  readonly trouble: Trouble | undefined
}

/** `endsAt` is the deadline by `performance.now()`. A wait throws where the signal aborts. */
export function createPatience(endsAt: number, signal: AbortSignal): Patience {
  let latest: Trouble | undefined
  let tries = 1
  let furthest = 0
  return {
    async mayAskAgain(trouble) {
      latest = trouble
      if (tries === mostTries) return false
      tries++
      const retryAfter = !('error' in trouble) ? trouble.headers.get('retry-after') : null
      const pauseMs = pauseBefore(tries, retryAfter, Date.now())
      if (performance.now() + pauseMs >= endsAt) return false
      await pause(pauseMs, undefined, { signal })
      return true
    },
    reached(pages) {
      // Asked again from the first page on, a query that breaks off at the same place each time gets no further.
      if (pages <= furthest) return
      furthest = pages
      tries = 1
      latest = undefined
    },
    get trouble() {
      return latest
    },
  }
}
