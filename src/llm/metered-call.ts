import type { Role } from '../enums/role.js'
import type { Redactor } from '../text/secrets.js'
import type { Budget, Reservation } from './budget.js'
import { type BudgetAmount, budgetAmountOf } from './budget-amount.js'
import type { CallProgress } from './call-progress.js'
import type { LlmCall, RoleModel } from './llm-interface.js'
import type { CallContext, ChatRequest, Completion, Failure, Usage } from './provider.js'
import type { Recordings } from './recordings.js'
import type { TokenRatio } from './token-ratio.js'

export interface MeteredCallOptions {
  readonly budget: Budget
  readonly recordings: Recordings | undefined
  /** Removes secrets from a text. */
  readonly redact: Redactor
  /** Awaited before a call is sent: until its end is reported, the call counts with its maximal usage. */
  readonly onCall: (call: LlmCall) => CallEndListener | Promise<CallEndListener>
  /** Absent: nobody is told what is waited for. */
  readonly progress?: CallProgress | undefined
  readonly clock: () => number
}

/** Called when a call has ended; awaited before its answer is used. A call that is cut off has no end. */
export type CallEndListener = (call: LlmCall) => void | Promise<void>

/** When a try has to end. */
export interface CallDeadline {
  /** Aborts at the deadline, and when the question is cancelled. */
  readonly signal: AbortSignal
  readonly deadline: AbortSignal
}

/**
 * Makes one try: reserves budget, asks the model or its recording, settles the usage and reports the call.
 */
export async function makeMeteredCall(
  key: string,
  request: ChatRequest,
  model: RoleModel,
  context: CallContext,
  until: CallDeadline,
  ratio: TokenRatio,
  options: MeteredCallOptions,
): Promise<Completion> {
  const { budget, recordings, clock } = options
  // Cancelled while it was queued: a request that is not sent is not charged for.
  if (until.signal.aborted && !isDeadlineAbort(until)) throw until.signal.reason
  const most: Usage = { inputTokens: ratio.most(request), outputTokens: request.maxTokens }
  const reservation = await reserveBudget(budget, context.role, budgetAmountOf(most, model.price))
  const started = clock()
  const callOf = (completion: Completion, taken: Usage): LlmCall => {
    const { role, caseId, sample, attempt } = context
    const { cost } = budgetAmountOf(taken, model.price)
    const ms = clock() - started
    return { role, caseId, sample, attempt, model: request.model, key, completion, usage: taken, cost, ms }
  }
  const watch = recordings?.kind === 'replay' ? undefined : options.progress?.begin(context)
  let received: number | undefined
  const meter: CallMeter = {
    most,
    probableInput: () => ratio.probable(request),
    possible: () => Math.min(request.maxTokens, Math.ceil((clock() - started) * maxTokensPerMs)),
    received: () => received,
  }
  // Until the actual usage is known, the maximal usage counts.
  let usage: Usage = most
  const end = async (completion: Completion, ending: CallEndListener): Promise<Completion> => {
    usage = usageOf(completion, meter)
    if (completion.usage !== undefined && recordings?.kind !== 'replay')
      ratio.observe(request, completion.usage)
    if (recordings?.kind === 'record') recordings.save(key, request, context, { ...completion, usage })
    await ending(callOf(completion, usage))
    return completion
  }
  try {
    if (recordings?.kind !== 'replay') {
      const ending = await options.onCall(callOf(unansweredCall, most))
      const watched: CallContext = {
        ...context,
        onTokens(tokens) {
          received = tokens
          if (tokens !== undefined) watch?.noteTokens(tokens)
          context.onTokens?.(tokens)
        },
      }
      const completion = await completionOf(request, model, watched, until)
      return await end(redactCompletion(completion, options.redact), ending)
    }
    const completion = recordings.find(key, context)
    return await end(completion, await options.onCall(callOf(completion, usageOf(completion, meter))))
  } catch (error) {
    // A request that was not sent costs nothing, and one that is not waited for any longer what it can have cost.
    usage =
      recordings?.kind === 'replay'
        ? nothing
        : { inputTokens: most.inputTokens, outputTokens: received ?? meter.possible() }
    throw error
  } finally {
    watch?.end()
    reservation.settle(budgetAmountOf(usage, model.price))
  }
}

/** The state of a call that was sent and has no answer yet. */
const unansweredCall: Completion = {
  kind: 'failure',
  failure: 'transient',
  message: 'it was interrupted before its answer arrived',
}

/** Reserves what a call may use. Waits for calls in progress whose reservations may turn out too large. */
async function reserveBudget(budget: Budget, role: Role, most: BudgetAmount): Promise<Reservation> {
  for (;;) {
    try {
      return budget.reserve(role, most)
    } catch (error) {
      const settled = budget.nextSettled()
      if (settled === undefined) throw error
      await settled
    }
  }
}

/** Returns the completion. A passed deadline is an outcome like any other, and recorded as such. */
async function completionOf(
  request: ChatRequest,
  { provider, timeoutMs }: RoleModel,
  context: CallContext,
  until: CallDeadline,
): Promise<Completion> {
  try {
    return await provider.complete(request, context, until.signal)
  } catch (error) {
    if (!isDeadlineAbort(until)) throw error
    return timeoutFailure(timeoutMs)
  }
}

/** Reports whether the deadline aborted, and not the caller. */
export function isDeadlineAbort({ signal, deadline }: CallDeadline): boolean {
  return deadline.aborted && signal.reason === deadline.reason
}

export function timeoutFailure(ms: number): Failure {
  const hint = 'Raise llm.timeout, or check that the endpoint is up.'
  return { kind: 'failure', failure: 'timeout', message: `no answer within ${ms / 1000} s`, hint }
}

/** The fastest endpoints write some two thousand tokens a second. */
const maxTokensPerMs = 2

const nothing: Usage = { inputTokens: 0, outputTokens: 0 }

/** What a call can have used, as long as its endpoint has not said so. */
interface CallMeter {
  readonly most: Usage
  probableInput(): number
  /** Number of tokens that the model can have written in the time since the call was sent. */
  possible(): number
  /** Number of tokens of a streamed answer that have arrived; undefined if it is not streamed. */
  received(): number | undefined
}

/**
 * Returns the usage of a call: a rejected request costs no tokens; an answer without usage is charged by its
 * length, one that was not received completely by what the model can have written of it.
 */
function usageOf(completion: Completion, { most, probableInput, possible, received }: CallMeter): Usage {
  if (completion.usage !== undefined) return completion.usage
  if (completion.kind === 'reply')
    return {
      inputTokens: probableInput(),
      outputTokens: Math.ceil(completion.text.length / charactersOfToken),
    }
  const { failure, cutOff, beforeAnswer, receivedTokens } = completion
  if (receivedTokens === undefined && cutOff === true && beforeAnswer !== true) return most
  if (beforeAnswer === true) return { inputTokens: most.inputTokens, outputTokens: possible() }
  if (failure === 'timeout' || cutOff === true)
    return { inputTokens: most.inputTokens, outputTokens: receivedTokens ?? received() ?? possible() }
  return failure === 'unusable'
    ? { inputTokens: probableInput(), outputTokens: receivedTokens ?? 0 }
    : nothing
}

/** Average number of characters per token of an answer whose endpoint does not count. */
export const charactersOfToken = 3

function redactCompletion(completion: Completion, redact: Redactor): Completion {
  if (completion.kind === 'reply') return { ...completion, text: redact(completion.text) }
  const { message, said } = completion
  return {
    ...completion,
    message: redact(message, 'echo'),
    ...(said === undefined ? {} : { said: { ...said, text: redact(said.text) } }),
  }
}
