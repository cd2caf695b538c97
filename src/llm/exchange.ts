import type { Role } from '../enums/role.js'
import type { Redactor } from '../text/secrets.js'
import { type Amount, amountOf, mostUsage, probableUsage } from './amount.js'
import type { Budget, Reservation } from './budget.js'
import type { LlmCall, RoleModel } from './llm.js'
import type { CallContext, ChatRequest, Completion, Failure, Usage } from './provider.js'
import type { Recordings } from './recordings.js'

export interface ExchangeOptions {
  readonly budget: Budget
  readonly recordings: Recordings | undefined
  /** Takes secrets out of a text. */
  readonly redact: Redactor
  /** Awaited before a call is sent: until its end is told, it took all that it could. */
  readonly onCall: (call: LlmCall) => Ending | Promise<Ending>
  readonly clock: () => number
}

/** Told how a call ended; awaited before its answer is used. One that is cut off has no end. */
export type Ending = (call: LlmCall) => void | Promise<void>

/** When a try has to end. */
export interface Until {
  /** Aborts at the deadline, and where the question is taken back. */
  readonly signal: AbortSignal
  readonly deadline: AbortSignal
}

/** One try: money is set aside, the model or its recording asked, what it took settled and the call told. */
export async function exchange(
  key: string,
  request: ChatRequest,
  model: RoleModel,
  context: CallContext,
  until: Until,
  options: ExchangeOptions,
): Promise<Completion> {
  const { budget, recordings, clock } = options
  // Taken back while it waited for its turn: what is not sent is not charged for.
  if (until.signal.aborted && !endsAtDeadline(until)) throw until.signal.reason
  const most = mostUsage(request)
  const reservation = await reserved(budget, context.role, amountOf(most, model.price))
  const started = clock()
  const callOf = (completion: Completion, taken: Usage): LlmCall => {
    const { role, caseId, sample, attempt } = context
    const { cost } = amountOf(taken, model.price)
    const ms = clock() - started
    return { role, caseId, sample, attempt, model: request.model, key, completion, usage: taken, cost, ms }
  }
  // Until it is known what the call took, it took all that it could.
  let usage: Usage = most
  const end = async (completion: Completion, ending: Ending): Promise<Completion> => {
    usage = usageOf(completion, request, most)
    if (recordings?.kind === 'record') recordings.save(key, request, context, completion)
    await ending(callOf(completion, usage))
    return completion
  }
  try {
    if (recordings?.kind !== 'replay') {
      const ending = await options.onCall(callOf(cutOff, most))
      return await end(redacted(await completionOf(request, model, context, until), options.redact), ending)
    }
    const completion = recordings.find(key, context)
    return await end(completion, await options.onCall(callOf(completion, usageOf(completion, request, most))))
  } catch (error) {
    // What was never sent costs nothing.
    if (recordings?.kind === 'replay') usage = { inputTokens: 0, outputTokens: 0 }
    throw error
  } finally {
    reservation.settle(amountOf(usage, model.price))
  }
}

/** What is known of a call that was sent and has no answer yet. */
const cutOff: Completion = {
  kind: 'failure',
  failure: 'transient',
  message: 'it was cut off before its answer came',
}

/** Sets aside what a call may take. What calls under way have set aside, and will not all need, is waited for. */
async function reserved(budget: Budget, role: Role, most: Amount): Promise<Reservation> {
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
  until: Until,
): Promise<Completion> {
  try {
    return await provider.complete(request, context, until.signal)
  } catch (error) {
    if (!endsAtDeadline(until)) throw error
    return timeout(timeoutMs)
  }
}

/** Whether it was the deadline that aborted, and not whoever asked. */
export function endsAtDeadline({ signal, deadline }: Until): boolean {
  return deadline.aborted && signal.reason === deadline.reason
}

export function timeout(ms: number): Failure {
  const hint = 'Raise llm.timeout, or check that the endpoint is up.'
  return { kind: 'failure', failure: 'timeout', message: `no answer within ${ms / 1000} s`, hint }
}

/** A refused request costs no tokens; an answer without a figure is charged by its length, what never came whole as the most. */
function usageOf(completion: Completion, request: ChatRequest, most: Usage): Usage {
  if (completion.usage !== undefined) return completion.usage
  if (completion.kind === 'reply') return probableUsage(request, completion.text.length)
  if (completion.failure === 'timeout' || completion.cutOff === true) return most
  return completion.failure === 'unusable' ? probableUsage(request, 0) : { inputTokens: 0, outputTokens: 0 }
}

function redacted(completion: Completion, redact: Redactor): Completion {
  return completion.kind === 'reply'
    ? { ...completion, text: redact(completion.text) }
    : { ...completion, message: redact(completion.message, 'echo') }
}
