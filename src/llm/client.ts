import { AutotestError } from '../errors.js'
import { learnFrom } from './answer-feedback.js'
import { type BudgetAmount, budgetAmountOf } from './budget-amount.js'
import type { CallSlot } from './call-slots.js'
import { createEndpointStates, modelLabel } from './endpoint-states.js'
import { extractSqlBlock } from './extract-answer.js'
import type { AnswerReading, Llm, LlmAnswer, LlmQuestion, RoleModel } from './llm-interface.js'
import { charactersOfToken, timeoutFailure } from './metered-call.js'
import type { ChatMessage, ChatRequest, Completion, Failure, Reply } from './provider.js'
import { redactMessage } from './redact-message.js'
import { bothProblems, hintFor, repeatsItself, type UnusableTurn, withRepairTurn } from './repair-turn.js'
import { readJsonReply } from './reply-json.js'
import { requestKey } from './request-key.js'
import { createRetryingSender, type PendingQuestion, type RetryOptions } from './retry-calls.js'

export interface LlmOptions extends RetryOptions {
  /** Answers already paid for, by key: those of an interrupted run that is resumed. */
  readonly known: ReadonlyMap<string, Completion>
  /** Number of questions that one endpoint is asked at a time, whatever their role. */
  readonly concurrency: number
  readonly onNote: (text: string) => void
}

/** The question is asked again, as the endpoint was busy with others. */
interface AskAgain {
  readonly kind: 'again'
}

/** A question that may be asked again. */
interface RepeatableQuestion<T> extends PendingQuestion<T> {
  readonly isOverloaded: () => boolean
}

export function createLlm(options: LlmOptions): Llm {
  const answers = new Map<string, Promise<Completion>>(
    [...options.known].map(([key, completion]) => [key, Promise.resolve(completion)]),
  )
  const { recordings } = options
  const endpoints = createEndpointStates(options)
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
    { question }: PendingQuestion<unknown>,
    end: AutotestError,
  ): AutotestError {
    if (recordings?.kind === 'record') recordings.end(key, request, contextOf(question), end)
    return end
  }

  /**
   * Returns the request as sent, without secrets. Its key is that of the original question: a recording is
   * also valid in another environment, where other texts are redacted.
   */
  function buildRequest<T>(
    messages: readonly ChatMessage[],
    question: LlmQuestion<T>,
    model: RoleModel,
    before?: UnusableTurn,
  ) {
    const shown = messages.map((message) => redactMessage(message, options.redact))
    const key = requestKey(requestOf(messages, question, model, before), question.sample)
    return { request: requestOf(shown, question, model, before), key }
  }

  async function askInTurns<T>(asking: RepeatableQuestion<T>): Promise<LlmAnswer<T> | AskAgain> {
    const { question, model } = asking
    let messages = question.messages
    let before: UnusableTurn | undefined
    for (;;) {
      const { request, key } = buildRequest(messages, question, model, before)
      const end = ends.get(modelLabel(model))
      if (end !== undefined) throw endedAt(key, request, asking, end)
      const surplus = recordings?.kind === 'replay' ? undefined : contextSurplus(request, asking)
      if (surplus !== undefined && recordings?.kind === 'record')
        recordings.save(key, request, { ...contextOf(question), attempt: 0 }, surplus)
      const completion = surplus ?? (await answerTo(key, request, asking))
      const isLate = completion.kind === 'failure' && completion.failure === 'timeout'
      if (isLate && recordings?.kind !== 'replay' && asking.isOverloaded()) return { kind: 'again' }
      const taken = take(completion, key, request)
      if (taken.kind === 'answer') {
        endpoints.noteAnswer(model)
        model.provider.keepAnswerMode?.(model.model)
      }
      if (taken.kind !== 'again') return taken
      learnFrom(taken, model)
      if (before !== undefined) {
        const message = withModelName(model, `its answer: ${bothProblems(before, taken)}`)
        return { kind: 'unusable', message: withHint(message, hintFor(before, taken, question.role)) }
      }
      before = taken
      messages = withRepairTurn(messages, taken)
    }

    function take(completion: Completion, key: string, request: ChatRequest): LlmAnswer<T> | UnusableTurn {
      if (completion.kind === 'failure' && completion.failure !== 'unusable')
        return failed(completion, asking, key, request)
      endpoints.noteReply(asking.model)
      if (completion.kind === 'failure')
        return {
          kind: 'again',
          message: completion.message,
          hint: completion.hint,
          said: completion.said,
          fitsSchema: undefined,
        }
      const reading = readingOf(completion, question)
      return reading.kind === 'read'
        ? { kind: 'answer', value: reading.value, text: completion.text }
        : {
            kind: 'again',
            message: reading.message,
            said: completion,
            fitsSchema: reading.fitsSchema === true,
          }
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
        : (ends.get(modelLabel(model)) ?? endpoints.endBy(failure, message, model))
    if (end === undefined) return { kind: 'unavailable', message: told }
    if (recordings?.kind !== 'replay') ends.set(modelLabel(model), end)
    throw endedAt(key, request, asking, end)
  }

  /**
   * Asks within the time of one answer, which begins when the endpoint has a free place. Returns `again` if the question
   * only waited for others, and fewer are asked at a time from now on.
   */
  async function askOnce<T>(
    question: LlmQuestion<T>,
    model: RoleModel,
    tries: Map<string, number>,
  ): Promise<LlmAnswer<T> | AskAgain> {
    let slot: CallSlot | undefined
    let signal: AbortSignal | undefined
    try {
      slot = await endpoints.slotsOf(model).enter(question.signal)
      const { noteProgress } = slot
      const started = options.clock()
      const deadline = AbortSignal.timeout(model.timeoutMs)
      signal = AbortSignal.any(question.signal === undefined ? [deadline] : [deadline, question.signal])
      const asking = {
        question,
        model,
        signal,
        deadline,
        leftMs: () => model.timeoutMs - (options.clock() - started),
        ratio: endpoints.ratioOf(model),
        tries,
        onProgress: noteProgress,
        isOverloaded: () => endpoints.lowerConcurrency(slot, model),
      }
      return await askInTurns(asking)
    } catch (error) {
      if (error instanceof AutotestError) throw error
      if (question.signal?.aborted === true) return { kind: 'unavailable', message: 'interrupted' }
      // The error of another, cancelled question whose answer this one waited for.
      if (signal?.aborted !== true && !(error instanceof DOMException)) throw error
      const { message, hint } = timeoutFailure(model.timeoutMs)
      return { kind: 'unavailable', message: withHint(withModelName(model, message), hint) }
    } finally {
      slot?.leave()
    }
  }

  return {
    estimate(question, model, answerLength) {
      const { request, key } = buildRequest(question.messages, question, model)
      if (answers.has(key)) return undefined
      const ratio = endpoints.ratioOf(model)
      const amount = (inputTokens: number, outputTokens: number): BudgetAmount =>
        budgetAmountOf({ inputTokens, outputTokens }, model.price)
      const answerTokens = Math.ceil(answerLength / charactersOfToken)
      return {
        key,
        most: amount(ratio.most(request), request.maxTokens),
        probable: amount(ratio.probable(request), answerTokens),
      }
    },
    async ask(question, model) {
      const tries = new Map<string, number>()
      for (;;) {
        // Each time fewer questions are asked at a time, so that this ends.
        const answer = await askOnce(question, model, tries)
        if (answer.kind !== 'again') return answer
      }
    },
  }
}

/** Returns the error for a question that was cancelled. */
function interruptedError(): AutotestError {
  return new AutotestError('interrupted', 'it was interrupted, or reached its time limit')
}

/** Ends the repetitions of small models, and leaves queries of ordinary length as they are. */
const loopPenalty = 0.5

function requestOf(
  messages: readonly ChatMessage[],
  { answer, tools, sample }: LlmQuestion<unknown>,
  { model, temperature, seed, maxTokens, extraBody }: RoleModel,
  before?: UnusableTurn,
): ChatRequest {
  // Equal seeds would give equal answers, which are no independent ones.
  const ownSeed = seed === undefined ? undefined : seed + sample
  const frequencyPenalty = before !== undefined && repeatsItself(before) ? loopPenalty : undefined
  return {
    model,
    messages,
    answer,
    tools,
    temperature,
    seed: ownSeed,
    frequencyPenalty,
    maxTokens,
    extraBody,
  }
}

function readingOf<T>({ text }: Reply, { read, fromSql }: LlmQuestion<T>): AnswerReading<T> {
  const json = readJsonReply(text)
  if (json.kind === 'json') return read(json.value)
  const sql = fromSql === undefined ? undefined : extractSqlBlock(text)
  const forms = sql === undefined ? [] : (fromSql?.(sql) ?? [])
  const found = forms.map(read).find(({ kind }) => kind === 'read')
  return found ?? { kind: 'unreadable', message: json.message }
}

function withModelName(model: RoleModel, message: string): string {
  return `${modelLabel(model)}: ${message}`
}

/** Returns the failure of a prompt that is known to be too long, which need not be sent; undefined for another. */
function contextSurplus(
  request: ChatRequest,
  { model, ratio }: PendingQuestion<unknown>,
): Failure | undefined {
  const limit = model.provider.contextLimit?.(model.model)
  const tokens = limit === undefined ? undefined : ratio.measured(request)
  if (limit === undefined || tokens === undefined || tokens <= limit) return undefined
  const message = `its context is ${limit} tokens, as it said before, and the prompt has about ${tokens}`
  return { kind: 'failure', failure: 'context', message }
}

function contextOf({ role, caseId, sample }: LlmQuestion<unknown>) {
  return { role, caseId, sample }
}

function withHint(message: string, hint: string | undefined): string {
  return hint === undefined ? message : `${message}. ${hint}`
}
