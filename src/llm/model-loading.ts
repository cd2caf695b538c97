/** A server that has not loaded its model says so at once: a try that it is silent about for so long, it took. */
const loadingRefusalMs = 2000

/**
 * Questions that were told that their model is being loaded: one of them looks on, as every look is a call, and the
 * others wait until it is told something else.
 */
export interface LoadingPolls {
  /** Ends the look of whoever calls, undefined where another question looks already. */
  begin(model: string): (() => void) | undefined
  /** Resolves when the one look at a model is over, or the signal aborts. */
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

/** The result of a try; a probe ends as soon as the server accepts the request. */
export async function endPollWhenAccepted<T>(trying: Promise<T>, end: (() => void) | undefined): Promise<T> {
  if (end === undefined) return trying
  const timer = setTimeout(end, loadingRefusalMs)
  try {
    return await trying
  } finally {
    clearTimeout(timer)
  }
}
