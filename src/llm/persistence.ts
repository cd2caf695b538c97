import { type ExchangeOptions, endsAtDeadline, exchange, type Until } from './exchange.js'
import type { LlmQuestion, RoleModel } from './llm.js'
import { createLooks, looking } from './loading.js'
import type { ChatRequest, Completion } from './provider.js'
import { type Failures, plusOne, waitAfter } from './wait.js'

export interface PersistenceOptions extends ExchangeOptions {
  /** Waits, telling why; rejects when the signal aborts. */
  readonly pause: (ms: number, why: string, signal: AbortSignal) => Promise<void>
  /** From 0 to 1. */
  readonly random: () => number
}

/** One question under way. */
export interface Asking<T> extends Until {
  readonly question: LlmQuestion<T>
  readonly model: RoleModel
  readonly leftMs: () => number
}

/** Sends one request until it is answered, or going on is of no use. */
export type Persistence = (key: string, request: ChatRequest, asking: Asking<unknown>) => Promise<Completion>

export function createPersistence(options: PersistenceOptions): Persistence {
  const { recordings } = options
  const looks = createLooks()
  return async (key, request, { question: { role, caseId, sample }, model, signal, deadline, leftMs }) => {
    const name = `${model.provider.name} ${model.model}`
    const until = { signal, deadline }
    let failures: Failures = {}
    let endLook: (() => void) | undefined
    try {
      for (let attempt = 0; ; attempt++) {
        const context = { role, caseId, sample, attempt }
        const trying = exchange(key, request, model, context, until, options)
        const completion = await looking(trying, endLook)
        if (completion.kind === 'reply') return completion
        if (recordings?.kind === 'replay') {
          // Nothing is waited for, so that what was worth a wait is known from the recording alone.
          if (recordings.hasNext(key, attempt)) continue
          return completion
        }
        failures = plusOne(failures, completion)
        const wait = waitAfter(completion, failures, leftMs(), options.random)
        if (wait === undefined) return completion
        const isLoading = completion.failure === 'loading'
        if (!isLoading) endLook?.()
        endLook = isLoading ? (endLook ?? looks.begin(name)) : undefined
        const othersLook = isLoading && endLook === undefined
        const why = `${model.provider.name}: ${completion.message}`
        const waited = othersLook ? looks.over(name, signal) : options.pause(wait, why, signal)
        if (!(await inTime(waited, until))) return completion
      }
    } finally {
      endLook?.()
    }
  }
}

/** False where the deadline passed meanwhile. */
async function inTime(waited: Promise<void>, until: Until): Promise<boolean> {
  try {
    await waited
    until.signal.throwIfAborted()
    return true
  } catch (error) {
    if (!endsAtDeadline(until)) throw error
    return false
  }
}
