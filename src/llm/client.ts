import { AutotestError } from '../errors.js'
import { budgetAmountOf, estimateUsage, maxUsage } from './budget-amount.js'
import { extractSqlBlock } from './extract-answer.js'
import type { AnswerReading, Llm, LlmAnswer, LlmQuestion, RoleModel } from './llm-interface.js'
import { timeoutFailure } from './metered-call.js'
import type { ChatMessage, ChatRequest, Completion, Failure, Reply } from './provider.js'
import { readJsonReply } from './reply-json.js'
import { requestKey } from './request-key.js'
import { createRetryingSender, type PendingQuestion, type RetryOptions } from './retry-calls.js'

export interface LlmOptions extends RetryOptions {
  /** Answers already paid for, by key: those of an interrupted run that is resumed. */
  readonly known: ReadonlyMap<string, Completion>
}

/** An answer that cannot be used, and the reason. */
interface UnusableTurn {
  readonly kind: 'again'
  readonly message: string
  /** The hint for the user. */
  readonly hint?: string | undefined
  readonly reply: string
}

/** The state of an endpoint, which roles may share. */
interface EndpointState {
  /** Number of consecutive requests without an answer. */
  consecutiveUnanswered: number
  answered: boolean
}

/**
 * After this many consecutive requests without an answer the endpoint counts as down: the rest need not wait
 * for it, too.
 */
const maxUnanswered = 3

export function createLlm(options: LlmOptions): Llm {
  const answers = new Map<string, Promise<Completion>>(
    [...options.known].map(([key, completion]) => [key, Promise.resolve(completion)]),
  )
  const { recordings } = options
  const endpoints = new Map<string, EndpointState>()
  /** Errors with which every other call to a model would fail: queued calls are not sent. */
  const ends = new Map<string, AutotestError>()
  const sendWithRetries = createRetryingSender(options)

  /**
   * Returns the answer to a request. Equal requests are paid for once, also while the first is in progress.
   */
  async function answerTo(
    key: string,
    request: ChatRequest,
    asking: PendingQuestion<unknown>,
  ): Promise<Completion> {
    const known = answers.get(key)
    if (known !== undefined) return known
    const answering = sendWithRetries(key, request, asking)
    answers.set(key, answering)
    try {
      const completion = await answering
      // A temporary failure may be over the next time.
      if (completion.kind === 'failure' && completion.failure !== 'unusable') answers.delete(key)
      return completion
    } catch (error) {
      answers.delete(key)
      const end = asking.question.signal?.aborted === true ? interruptedError() : error
      if (end instanceof AutotestError) endedAt(key, request, asking, end)
      throw error
    }
  }

  /**
   * Returns the error that ends the run, recorded with the question, so that a replay can explain what is
   * missing.
   */
  function endedAt(
    key: string,
    request: ChatRequest,
    { question: { role, caseId, sample } }: PendingQuestion<unknown>,
    end: AutotestError,
  ): AutotestError {
    if (recordings?.kind === 'record') recordings.end(key, request, { role, caseId, sample }, end)
    return end
  }

  /**
   * Returns the request as sent, without secrets. Its key is that of the original question: a recording is
   * also valid in another environment, where other texts are redacted.
   */
  function buildRequest<T>(messages: readonly ChatMessage[], question: LlmQuestion<T>, model: RoleModel) {
    const shown = messages.map((message) => ({ ...message, content: options.redact(message.content) }))
    const key = requestKey(requestOf(messages, question, model), question.sample)
    return { request: requestOf(shown, question, model), key }
  }

  async function askInTurns<T>(asking: PendingQuestion<T>): Promise<LlmAnswer<T>> {
    const { question, model } = asking
    const endpoint = stateOf(model)
    let messages = question.messages
    for (let turn = 0; ; turn++) {
      const { request, key } = buildRequest(messages, question, model)
      const end = ends.get(modelLabel(model))
      if (end !== undefined) throw endedAt(key, request, asking, end)
      const completion = await answerTo(key, request, asking)
      const taken = take(completion, key, request)
      if (taken.kind === 'answer') endpoint.consecutiveUnanswered = 0
      if (taken.kind !== 'again') return taken
      if (turn === 1) {
        const message = withModelName(model, `its answer: ${taken.message}`)
        return { kind: 'unusable', message: withHint(message, taken.hint ?? unusableAnswerHint) }
      }
      messages = [...messages, ...repairTurn(taken.reply, taken.message)]
    }

    function take(completion: Completion, key: string, request: ChatRequest): LlmAnswer<T> | UnusableTurn {
      if (completion.kind === 'failure' && completion.failure !== 'unusable')
        return failed(completion, asking, key, request)
      endpoint.answered = true
      if (completion.kind === 'failure')
        return {
          kind: 'again',
          message: completion.message,
          hint: completion.hint,
          reply: '(no usable answer)',
        }
      const reading = readingOf(completion, question)
      return reading.kind === 'read'
        ? { kind: 'answer', value: reading.value, text: completion.text }
        : { kind: 'again', message: reading.message, reply: completion.text }
    }
  }

  /** Throws if every other call would fail in the same way; in a replay, where the recorded run ended. */
  function failed(
    failure: Failure,
    asking: PendingQuestion<unknown>,
    key: string,
    request: ChatRequest,
  ): LlmAnswer<never> {
    const { model } = asking
    const message = withModelName(model, failure.message)
    const told = withHint(message, failure.hint)
    if (failure.failure === 'context') return { kind: 'too_long', message: told }
    const end =
      recordings?.kind === 'replay'
        ? recordings.endAt(key)
        : (ends.get(modelLabel(model)) ?? endBy(failure, message, stateOf(model)))
    if (end === undefined) return { kind: 'unavailable', message: told }
    if (recordings?.kind !== 'replay') ends.set(modelLabel(model), end)
    throw endedAt(key, request, asking, end)
  }

  function stateOf({ provider }: RoleModel): EndpointState {
    const state = endpoints.get(provider.name) ?? { consecutiveUnanswered: 0, answered: false }
    endpoints.set(provider.name, state)
    return state
  }

  /** Returns the reason why no other call would succeed. */
  function endBy(
    { failure, hint }: Failure,
    message: string,
    endpoint: EndpointState,
  ): AutotestError | undefined {
    if (failure === 'rejected') return new AutotestError('llm_rejected', message, { hint })
    if (failure === 'incompatible') {
      if (endpoint.answered) return undefined
      // A hint shows that the endpoint is OpenAI-compatible and lacks a feature.
      if (hint !== undefined) return new AutotestError('llm_rejected', message, { hint })
      return new AutotestError('llm_rejected', `${message}; this is not an OpenAI-compatible endpoint`, {
        hint: 'Its `base_url` must end before /chat/completions, often in /v1.',
      })
    }
    endpoint.consecutiveUnanswered++
    if (endpoint.consecutiveUnanswered < maxUnanswered) return undefined
    return new AutotestError(
      'llm_unavailable',
      `${message}; ${endpoint.consecutiveUnanswered} requests in a row got no answer`,
      { hint: `${hint ?? 'Check that the endpoint is up.'} Then continue with --resume.` },
    )
  }

  return {
    estimate(question, model, answerLength) {
      const { request, key } = buildRequest(question.messages, question, model)
      if (answers.has(key)) return undefined
      const most = budgetAmountOf(maxUsage(request), model.price)
      return { key, most, probable: budgetAmountOf(estimateUsage(request, answerLength), model.price) }
    },
    async ask(question, model) {
      const started = options.clock()
      const deadline = AbortSignal.timeout(model.timeoutMs)
      const signal = AbortSignal.any(question.signal === undefined ? [deadline] : [deadline, question.signal])
      const leftMs = (): number => model.timeoutMs - (options.clock() - started)
      try {
        return await askInTurns({ question, model, signal, deadline, leftMs })
      } catch (error) {
        if (error instanceof AutotestError) throw error
        if (question.signal?.aborted === true) return { kind: 'unavailable', message: 'interrupted' }
        // The error of another, cancelled question whose answer this one waited for.
        if (!signal.aborted && !(error instanceof DOMException)) throw error
        const { message, hint } = timeoutFailure(model.timeoutMs)
        return { kind: 'unavailable', message: withHint(withModelName(model, message), hint) }
      }
    },
  }
}

/** Returns the error for a question that was cancelled. */
function interruptedError(): AutotestError {
  return new AutotestError('interrupted', 'it was interrupted, or reached its time limit')
}

function requestOf(
  messages: readonly ChatMessage[],
  { answer }: LlmQuestion<unknown>,
  { model, temperature, seed, maxTokens, extraBody }: RoleModel,
): ChatRequest {
  return { model, messages, answer, temperature, seed, maxTokens, extraBody }
}

function readingOf<T>({ text }: Reply, { read, fromSql }: LlmQuestion<T>): AnswerReading<T> {
  const json = readJsonReply(text)
  if (json.kind === 'json') return read(json.value)
  const sql = fromSql === undefined ? undefined : extractSqlBlock(text)
  const forms = sql === undefined ? [] : (fromSql?.(sql) ?? [])
  const found = forms.map(read).find(({ kind }) => kind === 'read')
  return found ?? { kind: 'unreadable', message: json.message }
}

/** Returns the hint for a model that answers in the wrong format. */
const unusableAnswerHint =
  'Check the prompt in the definition of its role, or set another model in `llm.roles`.'

/** Longer parts of a bad answer do not help the model, and are paid for again. */
const shownReply = 4000

function repairTurn(reply: string, problem: string): ChatMessage[] {
  return [
    { role: 'assistant', content: reply.slice(0, shownReply) },
    {
      role: 'user',
      content: `Your answer could not be used: ${problem}. Answer again with the arguments of submit_result alone: one JSON object, no other text.`,
    },
  ]
}

function withModelName(model: RoleModel, message: string): string {
  return `${modelLabel(model)}: ${message}`
}

/** Returns the display name of a model, which also identifies it. */
function modelLabel({ provider, model }: RoleModel): string {
  return `${model} at ${provider.name}`
}

function withHint(message: string, hint: string | undefined): string {
  return hint === undefined ? message : `${message}. ${hint}`
}
