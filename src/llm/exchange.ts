import { AutotestError } from '../errors.js'
import type { Role } from '../role.js'
import { type Amount, amountOf, mostUsage, probableUsage } from './amount.js'
import type { Budget, Reservation } from './budget.js'
import type { LlmCall, RoleModel } from './llm.js'
import type { CallContext, ChatRequest, Completion, Usage } from './provider.js'
import type { Recordings } from './recordings.js'

export interface ExchangeOptions {
  readonly budget: Budget
  readonly recordings: Recordings | undefined
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string
  /** Awaited before a call is sent: until its end is told, it took all that it could. */
  readonly onCall: (call: LlmCall) => Ending | Promise<Ending>
  readonly clock: () => number
}

/** Told how a call ended; awaited before its answer is used. One that is cut off has no end. */
export type Ending = (call: LlmCall) => void | Promise<void>

/** One try: money is set aside, the model or its recording asked, what it took settled and the call told. */
export async function exchange(
  key: string,
  request: ChatRequest,
  model: RoleModel,
  context: CallContext,
  signal: AbortSignal,
  options: ExchangeOptions,
): Promise<Completion> {
  const { budget, recordings, clock } = options
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
    usage = usageOf(completion, request)
    if (recordings?.kind === 'record') recordings.save(key, request, context, completion)
    await ending(callOf(completion, usage))
    return completion
  }
  try {
    if (recordings?.kind !== 'replay') {
      const ending = await options.onCall(callOf(cutOff, most))
      return await end(
        redacted(await model.provider.complete(request, context, signal), options.redact),
        ending,
      )
    }
    const completion = recordings.find(key, context)
    return await end(completion, await options.onCall(callOf(completion, usageOf(completion, request))))
  } catch (error) {
    // What was never sent costs nothing.
    if (error instanceof AutotestError && error.code === 'replay_miss')
      usage = { inputTokens: 0, outputTokens: 0 }
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

/** A refused request costs no tokens; an answer without a figure is charged by its length. */
function usageOf(completion: Completion, request: ChatRequest): Usage {
  if (completion.usage !== undefined) return completion.usage
  if (completion.kind === 'reply') return probableUsage(request, completion.text)
  return completion.failure === 'unusable' ? probableUsage(request, '') : { inputTokens: 0, outputTokens: 0 }
}

function redacted(completion: Completion, redact: (text: string) => string): Completion {
  return completion.kind === 'reply'
    ? { ...completion, text: redact(completion.text) }
    : { ...completion, message: redact(completion.message) }
}
