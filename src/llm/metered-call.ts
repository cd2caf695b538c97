import type { Role } from '../enums/role.js'
import type { Redactor } from '../text/secrets.js'
import type { Budget, Reservation } from './budget.js'
import { type BudgetAmount, budgetAmountOf, estimateUsage, maxUsage } from './budget-amount.js'
import type { LlmCall, RoleModel } from './llm.js'
import type { CallContext, ChatRequest, Completion, Failure, Usage } from './provider.js'
import type { Recordings } from './recordings.js'

export interface MeteredCallOptions {
  readonly budget: Budget
  readonly recordings: Recordings | undefined
  /** Takes secrets out of a text. */
  readonly redact: Redactor
  /** Awaited before a call is sent: until its end is told, it took all that it could. */
  readonly onCall: (call: LlmCall) => CallEndListener | Promise<CallEndListener>
  readonly clock: () => number
}

/** Told how a call ended; awaited before its answer is used. One that is cut off has no end. */
export type CallEndListener = (call: LlmCall) => void | Promise<void>

/** When a try has to end. */
export interface CallDeadline {
  /** Aborts at the deadline, and where the question is taken back. */
  readonly signal: AbortSignal
  readonly deadline: AbortSignal
}

/** One try: money is set aside, the model or its recording asked, what it took settled and the call told. */
export async function makeMeteredCall(
  key: string,
  request: ChatRequest,
  model: RoleModel,
  context: CallContext,
  until: CallDeadline,
  options: MeteredCallOptions,
): Promise<Completion> {
  const { budget, recordings, clock } = options
  // Taken back while it waited for its turn: what is not sent is not charged for.
  if (until.signal.aborted && !isDeadlineAbort(until)) throw until.signal.reason
  const most = maxUsage(request)
  const reservation = await reserveBudget(budget, context.role, budgetAmountOf(most, model.price))
  const started = clock()
  const callOf = (completion: Completion, taken: Usage): LlmCall => {
    const { role, caseId, sample, attempt } = context
    const { cost } = budgetAmountOf(taken, model.price)
    const ms = clock() - started
    return { role, caseId, sample, attempt, model: request.model, key, completion, usage: taken, cost, ms }
  }
  // Until it is known what the call took, it took all that it could.
  let usage: Usage = most
  const end = async (completion: Completion, ending: CallEndListener): Promise<Completion> => {
    usage = usageOf(completion, request, most)
    if (recordings?.kind === 'record') recordings.save(key, request, context, completion)
    await ending(callOf(completion, usage))
    return completion
  }
  try {
    if (recordings?.kind !== 'replay') {
      const ending = await options.onCall(callOf(unansweredCall, most))
      return await end(
        redactCompletion(await completionOf(request, model, context, until), options.redact),
        ending,
      )
    }
    const completion = recordings.find(key, context)
    return await end(completion, await options.onCall(callOf(completion, usageOf(completion, request, most))))
  } catch (error) {
    // A request that was not sent costs nothing.
    if (recordings?.kind === 'replay') usage = { inputTokens: 0, outputTokens: 0 }
    throw error
  } finally {
    reservation.settle(budgetAmountOf(usage, model.price))
  }
}

/** The state of a call that was sent and has no answer yet. */
const unansweredCall: Completion = {
  kind: 'failure',
  failure: 'transient',
  message: 'it was interrupted before its answer arrived',
}

/** Sets aside what a call may take. What calls under way have set aside, and will not all need, is waited for. */
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

/** A deadline that passes is an outcome like any other, and recorded so. */
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

/** Whether it was the deadline that aborted, and not whoever asked. */
export function isDeadlineAbort({ signal, deadline }: CallDeadline): boolean {
  return deadline.aborted && signal.reason === deadline.reason
}

export function timeoutFailure(ms: number): Failure {
  const hint = 'Raise llm.timeout, or check that the endpoint is up.'
  return { kind: 'failure', failure: 'timeout', message: `no answer within ${ms / 1000} s`, hint }
}

/** A refused request costs no tokens; an answer without a figure is charged by its length, what never came whole as the most. */
function usageOf(completion: Completion, request: ChatRequest, most: Usage): Usage {
  if (completion.usage !== undefined) return completion.usage
  if (completion.kind === 'reply') return estimateUsage(request, completion.text.length)
  if (completion.failure === 'timeout' || completion.cutOff === true) return most
  return completion.failure === 'unusable' ? estimateUsage(request, 0) : { inputTokens: 0, outputTokens: 0 }
}

function redactCompletion(completion: Completion, redact: Redactor): Completion {
  return completion.kind === 'reply'
    ? { ...completion, text: redact(completion.text) }
    : { ...completion, message: redact(completion.message, 'echo') }
}
