import OpenAI, { APIConnectionError, APIError } from 'openai'
import { z } from 'zod'
import { type AnswerMode, modelProvider } from '../../config/model-providers.js'
import type { Role } from '../../enums/role.js'
import { isReset } from '../../platform/http-retry.js'
import type { Redactor } from '../../text/secrets.js'
import type { CallContext, ChatRequest, Completion, Failure, Provider } from '../provider.js'
import { boundedFetch, readBody } from './bounded-body.js'
import { connectionFailure, statusFailure } from './classify-error.js'
import type { EndpointMemory } from './endpoint-memory.js'
import { errorStatusIn } from './error-body.js'
import { lengthFailure } from './length-errors.js'
import { createExcerpter, readCompletion, readUsage } from './read-completion.js'
import { readReply } from './read-reply.js'
import { answerMode, fallbackFormat, requestParameters } from './request-format.js'
import type { StreamAssembly } from './stream-assembly.js'
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
  /** What is known of the endpoint, which all roles share. */
  readonly memory: EndpointMemory
}

/** No legitimate answer is larger. */
const maxBodyBytes = 4_000_000

/**
 * Creates a provider for any endpoint with the chat completions protocol. The SDK's own retries and timeout
 * are disabled: it keeps sleeping for `Retry-After` after an abort, and its timeout does not cover the body.
 */
export function openAiProvider(options: OpenAiOptions): Provider {
  const { settings, baseUrl, key, keyVariable, headers, query, redact, memory } = options
  const isOpenAi = modelProvider(undefined, baseUrl)?.name === 'openai'
  const client = new OpenAI({
    baseURL: baseUrl,
    apiKey: key ?? 'none',
    maxRetries: 0,
    timeout: 2 ** 31 - 1,
    defaultQuery: query,
    fetch: boundedFetch(maxBodyBytes, {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(isOpenAi ? accountHeaders() : {}),
      ...lowerCased(headers),
    }),
    logLevel: 'off',
  })
  const start = createExcerpter(redact)

  async function once(request: ChatRequest, context: CallContext, signal: AbortSignal): Promise<Completion> {
    const form = memory.formOf(request.model)
    const mode = answerMode(form, request)
    let hasBegun = false
    try {
      const params = requestParameters(request, form)
      // From here on it is known what has arrived.
      if (params.stream === true) context.onTokens?.(0)
      // The client never removes its listener: each try has a separate signal, as many tries share that of
      // one question.
      const own = AbortSignal.any([signal])
      const response = await client.chat.completions.create(params, { signal: own }).asResponse()
      hasBegun = true
      memory.noteServer(request.model, response.headers.get('server') ?? '')
      const reply = await readReply(response, maxBodyBytes, (parts) => context.onTokens?.(parts))
      if (reply.kind === 'failure') return reply.failure
      if (reply.kind === 'loop') return loopFailure(reply.assembly, mode)
      const { body } = reply
      const error = errorStatusIn(new TextDecoder().decode(body))
      if (error !== undefined) throw APIError.generate(error.status, error.body, undefined, response.headers)
      const completion = withMode(readCompletion(body, request, start), mode)
      const isOdd = completion.kind === 'failure' && completion.failure === 'incompatible'
      const cut = isOdd ? detectTruncation(body, response.headers.has('content-encoding')) : undefined
      return cut ?? completion
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof APIError && !(error instanceof APIConnectionError)) {
        const tooLong = lengthFailure(error, request.maxTokens, start)
        if (tooLong?.contextTokens !== undefined) memory.noteContext(request.model, tooLong.contextTokens)
        if (tooLong !== undefined) return tooLong
        const learnt = fallbackFormat(error, form, request)
        if (learnt === undefined) {
          const failure = statusFailure(error, { model: request.model, keyVariable, start }, Date.now())
          return error.status === 404 ? withModelNames(failure, await modelNames(signal)) : failure
        }
        memory.learn(request.model, form, learnt)
        return {
          kind: 'failure',
          failure: 'form',
          message: `it does not support ${learnt.refused}`,
        }
      }
      const failure = connectionFailure(error, start)
      return isReset(error) && !hasBegun ? { ...failure, beforeAnswer: true } : failure
    }
  }

  /** Returns the models that the endpoint lists; none if it does not. */
  async function modelNames(signal: AbortSignal): Promise<string[]> {
    const soon = AbortSignal.any([signal, AbortSignal.timeout(modelListMs)])
    try {
      const response = await client.models.list({ signal: soon }).asResponse()
      const listed = modelList.safeParse(
        JSON.parse(new TextDecoder().decode(await readBody(response, maxBodyBytes))),
      )
      return listed.success ? listed.data.data.map(({ id }) => start(id)) : []
    } catch (error) {
      signal.throwIfAborted()
      // Without a list the hint is less exact, and that is all.
      if (error instanceof Error) return []
      throw error
    }
  }

  return {
    name: baseUrl,
    complete: async (request, context, signal) =>
      withSettingsPath(await once(request, context, signal), settings, context.role),
    leaveAnswerMode: memory.leaveAnswerMode,
    keepAnswerMode: memory.keep,
    contextLimit: memory.contextLimit,
    watchForLoops: memory.watchForLoops,
  }
}

/** How long a list of models is waited for, in milliseconds. */
const modelListMs = 3000
const shownModels = 8
const modelList = z.object({ data: z.array(z.object({ id: z.string() })) })

/** Adds which models the endpoint has to the failure that it does not have the one that was asked for. */
function withModelNames(failure: Failure, names: readonly string[]): Failure {
  if (names.length === 0) return failure
  const more = names.length > shownModels ? ` and ${names.length - shownModels} more` : ''
  return {
    ...failure,
    hint: `${failure.hint ?? ''} It has ${names.slice(0, shownModels).join(', ')}${more}.`.trim(),
  }
}

/** Returns the failure for a stream that was stopped because its end repeats itself. */
function loopFailure(assembly: StreamAssembly, mode: AnswerMode | undefined): Failure {
  const { usage } = assembly.body()
  return {
    kind: 'failure',
    failure: 'unusable',
    message: 'the model repeats itself without end, and was stopped',
    usage: readUsage(usage),
    receivedTokens: assembly.parts(),
    said: { ...assembly.written(), mode },
  }
}

/** Adds how the answer was asked for. */
function withMode(completion: Completion, mode: AnswerMode | undefined): Completion {
  if (completion.kind === 'reply') return { ...completion, mode }
  return completion.said === undefined ? completion : { ...completion, said: { ...completion.said, mode } }
}

/** Adapts hints to the place where the endpoint is configured. */
function withSettingsPath(completion: Completion, settings: string, role: Role): Completion {
  if (completion.kind !== 'failure' || completion.hint === undefined) return completion
  const hint = completion.hint
    .replace(/\bllm\.(base_url|key_env)\b/g, `${settings}.$1`)
    .replace(/\bmax_tokens of the role in `llm.roles`/g, `\`llm.roles.${role}.max_tokens\``)
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
