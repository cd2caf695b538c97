import OpenAI, { APIConnectionError, APIError } from 'openai'
import type { Redactor } from '../../text/secrets.js'
import type { ChatRequest, Completion, Provider } from '../provider.js'
import { boundedFetch, readBody } from './bounded-body.js'
import { connectionFailure, statusFailure } from './classify-error.js'
import { errorStatusIn } from './error-body.js'
import { lengthFailure } from './length-errors.js'
import { createExcerpter, readCompletion } from './read-completion.js'
import {
  type FormatFallback,
  fallbackFormat,
  initialFormat,
  type RequestFormat,
  requestParameters,
} from './request-format.js'
import { detectTruncation } from './truncated-reply.js'

export interface OpenAiOptions {
  /** The endpoint's key in the configuration: `llm`, or `llm.roles.repairer`. */
  readonly settings: string
  /** The part before `/chat/completions`: `http://localhost:11434/v1`. */
  readonly baseUrl: string
  /** Undefined: no authorization is sent, as local servers need none. */
  readonly key: string | undefined
  /** The environment variable of the key, for hints. */
  readonly keyVariable: string | undefined
  /** Sent with each request besides the key; they replace standard headers of the same name. */
  readonly headers: Readonly<Record<string, string>>
  /** Appended to each address. */
  readonly query: Readonly<Record<string, string>>
  /** Removes secrets from texts of the endpoint. */
  readonly redact: Redactor
  /** Called with settings that a model does not support. */
  readonly onNote: (text: string) => void
}

/** No legitimate answer is larger. */
const maxBodyBytes = 4_000_000

/**
 * Creates a provider for any endpoint with the chat completions protocol. The SDK's own retries and timeout
 * are disabled: it keeps sleeping for `Retry-After` after an abort, and its timeout does not cover the body.
 */
export function openAiProvider(options: OpenAiOptions): Provider {
  const { settings, baseUrl, key, keyVariable, headers, query, redact, onNote } = options
  const official = /(?:^|\.)openai\.com$/.test(new URL(baseUrl).hostname)
  const client = new OpenAI({
    baseURL: baseUrl,
    apiKey: key ?? 'none',
    maxRetries: 0,
    timeout: 2 ** 31 - 1,
    defaultQuery: query,
    fetch: boundedFetch(maxBodyBytes, {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(official ? accountHeaders() : {}),
      ...lowerCased(headers),
    }),
    logLevel: 'off',
  })
  const start = createExcerpter(redact)
  const first = initialFormat(official)
  // Learned from rejections, and kept for later calls.
  const forms = new Map<string, RequestFormat>()

  async function once(request: ChatRequest, signal: AbortSignal): Promise<Completion> {
    const form = forms.get(request.model) ?? first
    try {
      const params = requestParameters(request, form)
      // The client never removes its listener: each try has a separate signal, as many tries share that of
      // one question.
      const own = AbortSignal.any([signal])
      const response = await client.chat.completions.create(params, { signal: own }).asResponse()
      const body = await readBody(response, maxBodyBytes)
      const error = errorStatusIn(new TextDecoder().decode(body))
      if (error !== undefined) throw APIError.generate(error.status, error.body, undefined, response.headers)
      const completion = readCompletion(body, request.answer.function.name, start)
      const isOdd = completion.kind === 'failure' && completion.failure === 'incompatible'
      const cut = isOdd ? detectTruncation(body, response.headers.has('content-encoding')) : undefined
      return cut ?? completion
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof APIError && !(error instanceof APIConnectionError)) {
        const tooLong = lengthFailure(error, request.maxTokens, start)
        if (tooLong !== undefined) return tooLong
        const learnt = fallbackFormat(error, form, request)
        if (learnt === undefined)
          return statusFailure(error, { model: request.model, keyVariable, start }, Date.now())
        learn(request.model, form, learnt)
        return {
          kind: 'failure',
          failure: 'form',
          message: `it does not support ${learnt.refused}`,
        }
      }
      return connectionFailure(error, start)
    }
  }

  /** Records a form. Concurrent calls are rejected together: only the first rejection is reported. */
  function learn(model: string, sent: RequestFormat, { form, dropped }: FormatFallback): void {
    if ((forms.get(model) ?? first) !== sent) return
    forms.set(model, form)
    if (dropped.length > 0)
      onNote(`${model} at ${baseUrl} does not support ${dropped.join(' and ')}: called without`)
  }

  return {
    name: baseUrl,
    complete: async (request, _context, signal) => withSettingsPath(await once(request, signal), settings),
  }
}

/** Adapts hints to the place where the endpoint is configured. */
function withSettingsPath(completion: Completion, settings: string): Completion {
  if (completion.kind !== 'failure' || completion.hint === undefined) return completion
  const hint = completion.hint.replace(/\bllm\.(base_url|key_env)\b/g, `${settings}.$1`)
  return { ...completion, hint }
}

/** Lower-cases names, so that a configured header replaces the same one in other letter case. */
function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Returns headers that select the key's account to charge: only OpenAI has them. */
function accountHeaders(): Record<string, string> {
  const { OPENAI_ORG_ID: organization, OPENAI_PROJECT_ID: project } = process.env
  return {
    ...(organization ? { 'openai-organization': organization } : {}),
    ...(project ? { 'openai-project': project } : {}),
  }
}
