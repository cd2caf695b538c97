import { backoffAfter, countFailure, type FailureCounts } from './backoff.js'
import type { LlmQuestion, RoleModel } from './llm-interface.js'
import {
  type CallDeadline,
  isDeadlineAbort,
  type MeteredCallOptions,
  makeMeteredCall,
} from './metered-call.js'
import { createLoadingPolls, endPollWhenAccepted } from './model-loading.js'
import type { ChatRequest, Completion } from './provider.js'
import type { TokenRatio } from './token-ratio.js'

export interface RetryOptions extends MeteredCallOptions {
  /** Waits and reports why; rejects when the signal aborts. */
  readonly pause: (ms: number, why: string, signal: AbortSignal) => Promise<void>
  /** From 0 to 1. */
  readonly random: () => number
}

/** A question in progress. */
export interface PendingQuestion<T> extends CallDeadline {
  readonly question: LlmQuestion<T>
  readonly model: RoleModel
  readonly leftMs: () => number
  readonly ratio: TokenRatio
  /** Number of tries of each of its requests, by key: a question that is asked again goes on counting. */
  readonly tries: Map<string, number>
  /** Called when an answer, or a part of one, has arrived. */
  readonly onProgress: () => void
}

/** Sends one request until it is answered, or continuing is useless. */
export type RetryingSender = (
  key: string,
  request: ChatRequest,
  asking: PendingQuestion<unknown>,
) => Promise<Completion>

export function createRetryingSender(options: RetryOptions): RetryingSender {
  const { recordings } = options
  const looks = createLoadingPolls()
  return async (key, request, asking) => {
    const { question, model, signal, deadline, leftMs, ratio, tries, onProgress } = asking
    const { role, caseId, sample } = question
    const name = `${model.provider.name} ${model.model}`
    const until = { signal, deadline }
    let failures: FailureCounts = {}
    let endLook: (() => void) | undefined
    try {
      for (let attempt = tries.get(key) ?? 0; ; attempt++) {
        tries.set(key, attempt + 1)
        const onTokens = (tokens: number | undefined): void => {
          if (tokens !== undefined && tokens > 0) onProgress()
        }
        const context = { role, caseId, sample, attempt, onTokens }
        const trying = makeMeteredCall(key, request, model, context, until, ratio, options)
        const completion = await endPollWhenAccepted(trying, endLook)
        if (completion.kind === 'reply' || completion.failure === 'unusable') onProgress()
        if (completion.kind === 'reply') return completion
        if (recordings?.kind === 'replay') {
          // A replay does not wait: the recording alone shows which failures were retried.
          if (recordings.hasNext(key, attempt)) continue
          return completion
        }
        failures = countFailure(failures, completion)
        const wait = backoffAfter(completion, failures, leftMs(), options.random)
        if (wait === undefined) return completion
        const isLoading = completion.failure === 'loading'
        if (!isLoading) endLook?.()
        endLook = isLoading ? (endLook ?? looks.begin(name)) : undefined
        const othersLook = isLoading && endLook === undefined
        const why = `${model.provider.name}: ${completion.message}`
        const waited = othersLook ? looks.whenOver(name, signal) : options.pause(wait, why, signal)
        if (!(await isBeforeDeadline(waited, until))) return completion
      }
    } finally {
      endLook?.()
    }
  }
}

/** Waits; returns false if the deadline passed in the meantime. */
async function isBeforeDeadline(waited: Promise<void>, until: CallDeadline): Promise<boolean> {
  try {
    await waited
    until.signal.throwIfAborted()
    return true
  } catch (error) {
    if (!isDeadlineAbort(until)) throw error
    return false
  }
}
