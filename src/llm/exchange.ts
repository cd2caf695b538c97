import { AutotestError } from '../errors.js'
import { amountOf, mostUsage, probableUsage } from './amount.js'
import type { Budget } from './budget.js'
import type { LlmCall, RoleModel } from './llm.js'
import type { CallContext, ChatRequest, Completion, Usage } from './provider.js'
import type { Recordings } from './recordings.js'

export interface ExchangeOptions {
  readonly budget: Budget
  readonly recordings: Recordings | undefined
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string
  /** Called once a call is paid for; what it returns is awaited before the answer is used. */
  readonly onCall: (call: LlmCall) => void | Promise<void>
  readonly clock: () => number
}

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
  const reservation = budget.reserve(context.role, amountOf(most, model.price))
  const started = clock()
  // Until it is known what the call took, it took all that it could.
  let usage: Usage = most
  try {
    const completion =
      recordings?.kind === 'replay'
        ? recordings.find(key, context)
        : redacted(await model.provider.complete(request, context, signal), options.redact)
    usage = usageOf(completion, request)
    if (recordings?.kind === 'record') recordings.save(key, request, context, completion)
    const { role, caseId, sample, attempt } = context
    const { cost } = amountOf(usage, model.price)
    const call = { role, caseId, sample, attempt, model: request.model, key, completion, usage, cost }
    await options.onCall({ ...call, ms: clock() - started })
    return completion
  } catch (error) {
    // What was never sent costs nothing.
    if (error instanceof AutotestError && error.code === 'replay_miss')
      usage = { inputTokens: 0, outputTokens: 0 }
    throw error
  } finally {
    reservation.settle(amountOf(usage, model.price))
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
