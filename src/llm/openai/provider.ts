import OpenAI, { APIConnectionError, APIError } from 'openai'
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions'
import type { ChatRequest, Completion, Provider } from '../provider.js'
import { boundedFetch, readBody } from './bounded-body.js'
import { errorIn } from './error-body.js'
import { connectionFailure, statusFailure } from './failure.js'
import { readCompletion, startOf } from './reply.js'

export interface OpenAiOptions {
  /** Up to where `/chat/completions` begins: `http://localhost:11434/v1`. */
  readonly baseUrl: string
  /** Undefined: no authorization is sent, as local servers want none. */
  readonly key: string | undefined
  /** Where the key comes from, for hints. */
  readonly keyVariable: string | undefined
  /** Takes secrets out of what the endpoint says. */
  readonly redact: (text: string) => string
}

/** No honest answer is as large. */
const maxBodyBytes = 4_000_000

/** How an answer is asked to be JSON, best first; a server that refuses one is asked the next way. */
const ways = ['tools', 'json_schema', 'text'] as const
type Way = (typeof ways)[number]

/** Under which name a model is told how long its answer may be: newer ones of OpenAI refuse the name that other servers know. */
type Limit = 'max_tokens' | 'max_completion_tokens'

/**
 * Any endpoint that speaks chat completions. The SDK's own retries and timeout are off: it sleeps through an abort on
 * `Retry-After`, and its timeout does not cover the body.
 */
export function openAiProvider({ baseUrl, key, keyVariable, redact }: OpenAiOptions): Provider {
  const official = /(?:^|\.)openai\.com$/.test(new URL(baseUrl).hostname)
  const client = new OpenAI({
    baseURL: baseUrl,
    apiKey: key ?? 'none',
    maxRetries: 0,
    timeout: 2 ** 31 - 1,
    fetch: boundedFetch(maxBodyBytes, {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(official ? accountHeaders() : {}),
    }),
    logLevel: 'off',
  })
  const start = startOf(redact)
  // Learnt from a refusal, and kept for the calls that follow.
  let way: Way = 'tools'
  const limits = new Map<string, Limit>()
  const usualLimit: Limit = official ? 'max_completion_tokens' : 'max_tokens'

  async function once(request: ChatRequest, signal: AbortSignal): Promise<Completion> {
    try {
      const params = paramsOf(request, way, limits.get(request.model) ?? usualLimit)
      const response = await client.chat.completions.create(params, { signal }).asResponse()
      const body = await readBody(response, maxBodyBytes)
      const error = errorIn(new TextDecoder().decode(body))
      if (error !== undefined) throw APIError.generate(error.status, error.body, undefined, response.headers)
      return readCompletion(body, request.answer.function.name, start)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof APIError && !(error instanceof APIConnectionError)) {
        if (!limits.has(request.model) && refusesLimit(error, usualLimit)) {
          limits.set(request.model, usualLimit === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens')
          const message = `it does not take ${usualLimit}`
          return { kind: 'failure', failure: 'transient', message, retryAfterMs: 0 }
        }
        const next = ways[ways.indexOf(way) + 1]
        if (next !== undefined && refusesWay(error, way)) {
          way = next
          const message = `it does not take ${error.param ?? 'a format of the answer'}`
          return { kind: 'failure', failure: 'transient', message, retryAfterMs: 0 }
        }
        return statusFailure(error, { model: request.model, keyVariable, start }, Date.now())
      }
      return connectionFailure(error, start)
    }
  }

  return { name: baseUrl, complete: (request, _context, signal) => once(request, signal) }
}

/** Which of the key's accounts pays: OpenAI's alone know them. */
function accountHeaders(): Record<string, string> {
  const { OPENAI_ORG_ID: organization, OPENAI_PROJECT_ID: project } = process.env
  return {
    ...(organization ? { 'openai-organization': organization } : {}),
    ...(project ? { 'openai-project': project } : {}),
  }
}

/** Servers differ in what they call it; the words are what they have in common. */
function refusesWay(error: APIError, way: Way): boolean {
  if (error.status !== 400 && error.status !== 422 && error.status !== 501) return false
  const words = way === 'tools' ? /\btools?\b|tool_choice|function/i : /response_format|json_schema|schema/i
  return words.test(error.message)
}

/** Not where the number is refused: a model that is told less by another name takes no more. */
function refusesLimit(error: APIError, limit: Limit): boolean {
  if (error.status !== 400 && error.status !== 422) return false
  const isNamed = error.param === limit || new RegExp(`\\b${limit}\\b`).test(error.message)
  return (
    isNamed &&
    /unsupported|not supported|unrecognized|unknown|not permitted|extra inputs|instead/i.test(error.message)
  )
}

function paramsOf(
  { model, messages, answer, temperature, seed, maxTokens }: ChatRequest,
  way: Way,
  limit: Limit,
): ChatCompletionCreateParamsNonStreaming {
  return {
    model,
    messages: [...messages],
    stream: false,
    ...(temperature === undefined ? {} : { temperature }),
    ...(seed === undefined ? {} : { seed }),
    [limit]: maxTokens,
    ...(way === 'tools'
      ? { tools: [answer], tool_choice: { type: 'function', function: { name: answer.function.name } } }
      : {}),
    ...(way === 'json_schema'
      ? {
          response_format: {
            type: 'json_schema',
            json_schema: { name: answer.function.name, strict: true, schema: answer.function.parameters },
          },
        }
      : {}),
  }
}
