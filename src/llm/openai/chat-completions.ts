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
  /** Where the configuration speaks of the endpoint: `llm`, or `llm.roles.repairer`. */
  readonly settings: string
  /** Up to where `/chat/completions` begins: `http://localhost:11434/v1`. */
  readonly baseUrl: string
  /** Undefined: no authorization is sent, as local servers want none. */
  readonly key: string | undefined
  /** Where the key comes from, for hints. */
  readonly keyVariable: string | undefined
  /** Sent with each request beside the key; one of a name that is sent anyway takes its place. */
  readonly headers: Readonly<Record<string, string>>
  /** Put behind each address. */
  readonly query: Readonly<Record<string, string>>
  /** Takes secrets out of what the endpoint says. */
  readonly redact: Redactor
  /** Told what of the configuration a model does not take. */
  readonly onNote: (text: string) => void
}

/** No honest answer is as large. */
const maxBodyBytes = 4_000_000

/**
 * Any endpoint that speaks chat completions. The SDK's own retries and timeout are off: it sleeps through an abort on
 * `Retry-After`, and its timeout does not cover the body.
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
  // Learnt from refusals, and kept for the calls that follow.
  const forms = new Map<string, RequestFormat>()

  async function once(request: ChatRequest, signal: AbortSignal): Promise<Completion> {
    const form = forms.get(request.model) ?? first
    try {
      const params = requestParameters(request, form)
      // The client never takes its listener off: a signal of each try, as many tries share one question's.
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

  /** Calls that were under way together are refused together: the first to come back tells what is to be told. */
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

/** Hints speak of where the endpoint of all roles is configured: one of its own is configured elsewhere. */
function withSettingsPath(completion: Completion, settings: string): Completion {
  if (completion.kind !== 'failure' || completion.hint === undefined) return completion
  const hint = completion.hint.replace(/\bllm\.(base_url|key_env)\b/g, `${settings}.$1`)
  return { ...completion, hint }
}

/** So that one of the configuration takes the place of the same one in other letters. */
function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Which of the key's accounts pays: OpenAI's alone know them. */
function accountHeaders(): Record<string, string> {
  const { OPENAI_ORG_ID: organization, OPENAI_PROJECT_ID: project } = process.env
  return {
    ...(organization ? { 'openai-organization': organization } : {}),
    ...(project ? { 'openai-project': project } : {}),
  }
}
