/** The right to have one question to an endpoint in progress. */
export interface CallSlot {
  /** Takes note that the endpoint is at work for somebody: an answer, or a part of one, has arrived. */
  noteProgress(): void
  /**
   * Called when the question got no answer in time. Returns the new number of questions at a time if it was lowered:
   * the endpoint served others meanwhile, so that this one only waited for them.
   */
  lowerAfterTimeout(): number | undefined
  leave(): void
}

/** Limits how many questions to one endpoint are in progress, whatever their role. */
export interface CallSlots {
  /** Waits for a free slot; rejects with the signal's reason when it aborts. */
  enter(signal: AbortSignal | undefined): Promise<CallSlot>
}

export function createCallSlots(most: number): CallSlots {
  let limit = most
  let taken = 0
  /** Number of the latest sign of life, which are counted. */
  let progress = 0
  const waiting: (() => void)[] = []

  const admit = (): void => {
    while (taken < limit) {
      const next = waiting.shift()
      if (next === undefined) return
      taken++
      next()
    }
  }

  function newSlot(): CallSlot {
    const limitAtStart = limit
    const progressAtStart = progress
    let isLeft = false
    return {
      noteProgress: () => void progress++,
      lowerAfterTimeout() {
        // Another one that waited for the same reason has lowered it already.
        if (limit < limitAtStart) return limit
        if (limit === 1 || progress === progressAtStart) return undefined
        limit = Math.floor(limit / 2)
        return limit
      },
      leave() {
        if (isLeft) return
        isLeft = true
        taken--
        admit()
      },
    }
  }

  return {
    async enter(signal) {
      signal?.throwIfAborted()
      await new Promise<void>((resolve, reject) => {
        const come = (): void => {
          signal?.removeEventListener('abort', give)
          resolve()
        }
        const give = (): void => {
          waiting.splice(waiting.indexOf(come), 1)
          reject(signal?.reason)
        }
        signal?.addEventListener('abort', give, { once: true })
        waiting.push(come)
        admit()
      })
      return newSlot()
    },
  }
}
