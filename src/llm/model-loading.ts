/**
 * A server without its model loaded responds immediately: a try without a response for this time was
 * accepted.
 */
const loadingRefusalMs = 2000

/**
 * Questions whose model is still loading: one of them polls, as every poll is a call, and the others wait for
 * another result.
 */
export interface LoadingPolls {
  /** Starts a poll and returns the function that ends it; undefined if another question polls already. */
  begin(model: string): (() => void) | undefined
  /** Resolves when the poll of a model is over, or the signal aborts. */
  whenOver(model: string, signal: AbortSignal): Promise<void>
}

export function createLoadingPolls(): LoadingPolls {
  const looks = new Map<string, Promise<void>>()
  return {
    begin(model) {
      if (looks.has(model)) return undefined
      let end = (): void => undefined
      const look = new Promise<void>((resolve) => {
        end = resolve
      })
      looks.set(model, look)
      return () => {
        if (looks.get(model) === look) looks.delete(model)
        end()
      }
    },
    whenOver: (model, signal) =>
      new Promise((resolve) => {
        const end = (): void => {
          signal.removeEventListener('abort', end)
          resolve()
        }
        signal.addEventListener('abort', end)
        if (signal.aborted) end()
        void Promise.resolve(looks.get(model)).then(end)
      }),
  }
}

/** Returns the result of a try; a poll ends as soon as the server accepts the request. */
export async function endPollWhenAccepted<T>(trying: Promise<T>, end: (() => void) | undefined): Promise<T> {
  if (end === undefined) return trying
  const timer = setTimeout(end, loadingRefusalMs)
  try {
    return await trying
  } finally {
    clearTimeout(timer)
  }
}
