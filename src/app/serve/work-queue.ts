import { availableParallelism } from 'node:os'
import pLimit from 'p-limit'

/** What a piece of work that was cancelled ends with. */
export class Cancelled extends Error {
  constructor() {
    super('the request was cancelled')
  }
}

/** Work that starts processes, so many at a time as there are processors. */
export interface WorkQueue {
  /**
   * Does work as soon as there is a place. Throws `Cancelled` at once where the signal comes first; work that was begun keeps its place until it has ended.
   *
   * @param reads whether work that was begun changes nothing, so that nobody has to wait for its end
   */
  add<Result>(work: () => Promise<Result>, signal: AbortSignal, reads: boolean): Promise<Result>
}

export function createWorkQueue(places: number = availableParallelism()): WorkQueue {
  const limit = pLimit(places)
  return {
    add(work, signal, reads) {
      return new Promise((resolve, reject) => {
        let isBegun = false
        const onAbort = (): void => {
          if (!isBegun || reads) reject(new Cancelled())
        }
        if (signal.aborted) {
          onAbort()
          return
        }
        signal.addEventListener('abort', onAbort, { once: true })
        void limit(async () => {
          if (signal.aborted) return
          isBegun = true
          await work().then(resolve, reject)
        }).finally(() => signal.removeEventListener('abort', onAbort))
      })
    },
  }
}
