import { AutotestError } from '../../errors.js'

/**
 * Returns the result of the work. If the signal aborts first, throws `interrupted`, which states what is
 * left, and ignores the work. The caller closes what the work waits for.
 */
export async function raceInterrupt<T>(work: Promise<T>, signal: AbortSignal, left: string): Promise<T> {
  const aborted = new AbortController()
  const interrupt = new Promise<never>((_, reject) => {
    const stop = (): void => reject(new AutotestError('interrupted', `interrupted: ${left}`))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { signal: aborted.signal })
  })
  try {
    return await Promise.race([work, interrupt])
  } finally {
    aborted.abort()
  }
}
