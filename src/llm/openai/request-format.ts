import type { APIError } from 'openai'
import type {
  ChatCompletionCreateParams,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions'
import type { AnswerMode } from '../../config/model-providers.js'
import { parseJson } from '../../text/parse-json.js'
import { addToLastMessage } from '../add-to-last-message.js'
import type { ChatMessage, ChatRequest, ToolCall, ToolSchema } from '../provider.js'
import type { EndpointTraits } from './endpoint-traits.js'

/**
 * Name of the field for the maximal length of an answer: newer models of OpenAI reject the name that other
 * servers know.
 */
type Limit = 'max_tokens' | 'max_completion_tokens'

/** Settings that reasoning models and some gateways reject, with the part of a request that they send. */
const settingFields = {
  temperature: 'temperature',
  seed: 'seed',
  frequency_penalty: 'frequencyPenalty',
} as const satisfies Readonly<Record<string, keyof ChatRequest>>
type Setting = keyof typeof settingFields

/** How an answer is received: as a stream with its usage at the end, as a stream without, or whole. */
const receptions = ['stream_usage', 'stream', 'whole'] as const
type Reception = (typeof receptions)[number]

/** The form of a request: of each feature, the variants that the model has not rejected yet, best first. */
export interface RequestFormat {
  readonly answerModes: readonly AnswerMode[]
  readonly limits: readonly Limit[]
  readonly settings: readonly Setting[]
  readonly receptions: readonly Reception[]
  /** Whether it refused to stream. */
  readonly refusesStream?: true
  /** Whether the server is known to count with each event of a stream, on request: a stream that is stopped has a usage then. */
  readonly countsEachToken?: true
}

/** Returns the form that is tried first. */
export function initialFormat({ answerModes, limits, streams }: EndpointTraits): RequestFormat {
  return {
    answerModes,
    limits,
    settings: ['temperature', 'seed', 'frequency_penalty'],
    receptions: streams ? receptions : ['whole'],
  }
}

/** Returns the form that streams, for a model that was seen to loop; undefined if it did not accept that. */
export function withStream(form: RequestFormat): RequestFormat | undefined {
  return form.receptions[0] === 'whole' && !form.refusesStream ? { ...form, receptions } : undefined
}

/** Returns the form without an answer mode that had no effect; undefined if no other is left. */
export function withoutAnswerMode(form: RequestFormat, mode: AnswerMode): RequestFormat | undefined {
  const [used, ...others] = form.answerModes
  return used === mode && others.length > 0 ? { ...form, answerModes: others } : undefined
}

/** A feature that a model does not support, and the format without it. */
export interface FormatFallback {
  readonly form: RequestFormat
  readonly refused: string
  /** Settings that are left out from now on. */
  readonly dropped: readonly Setting[]
}

/**
 * Returns the next form; undefined if the error is not about the form that was sent, or nothing is left to
 * try.
 */
export function fallbackFormat(
  error: APIError,
  form: RequestFormat,
  request: ChatRequest,
): FormatFallback | undefined {
  if (refusesParameter(error)) {
    const dropped = form.settings.filter(
      (name) => request[settingFields[name]] !== undefined && isNamed(name, error),
    )
    if (dropped.length > 0) {
      const settings = form.settings.filter((name) => !dropped.includes(name))
      return { form: { ...form, settings }, refused: dropped.join(' and '), dropped }
    }
    const [reception, ...slower] = form.receptions
    const streamed = reception === 'stream_usage' ? 'stream_options' : 'stream'
    if (slower.length > 0 && (isNamed(streamed, error) || isNamed('stream', error)))
      return {
        form: isNamed('stream_options', error)
          ? { ...form, receptions: slower }
          : { ...form, receptions: ['whole'], refusesStream: true },
        refused: 'streaming',
        dropped: [],
      }
    const [limit, ...limits] = form.limits
    if (limit !== undefined && limits.length > 0 && isNamed(limit, error))
      return { form: { ...form, limits }, refused: limit, dropped: [] }
  }
  const way = answerMode(form, request)
  const ways = form.answerModes.filter((mode) => mode !== way)
  if (way === undefined || ways.length === 0 || !refusesAnswerMode(error, way)) return undefined
  return {
    form: { ...form, answerModes: ways },
    refused: error.param ?? modeNames[way],
    dropped: [],
  }
}

/**
 * Reports whether a parameter is rejected as such. A number that is too large or too small does not count:
 * the user must learn of it.
 */
function refusesParameter({ status, message }: APIError): boolean {
  if (status !== 400 && status !== 422) return false
  return /unsupported|(?:not|n't) support|unrecognized|unknown|not permitted|extra (?:inputs|fields)|deprecated|instead|only [^;,]{1,30} is (?:supported|allowed)|may only be/i.test(
    message,
  )
}

function isNamed(name: string, { param, message }: APIError): boolean {
  return param ? param === name : new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(message)
}

/**
 * Reports whether the answer mode is rejected. Servers use different names for it; these words are common to
 * them.
 */
function refusesAnswerMode({ status, message, code }: APIError, way: AnswerMode): boolean {
  // Groq's message for an answer that does not match its tool.
  if (code === 'tool_use_failed') return false
  // An old llama.cpp sends 500, OpenRouter 404: other errors with these statuses use many words, too.
  if (status === 404 || status === 500)
    return (way === 'tool' ? /\btools\b|\btool use\b|tool_choice/i : /response_format|json_schema/i).test(
      message,
    )
  if (status !== 400 && status !== 422 && status !== 501) return false
  const words =
    way === 'tool'
      ? /\btools?\b|tool_choice|function|grammar/i
      : /response_format|json_schema|json_object|json mode|schema|grammar/i
  return words.test(message)
}

/** What each mode asks for, for messages. */
export const modeNames: Readonly<Record<AnswerMode, string>> = {
  schema: 'a JSON Schema of the answer (response_format: json_schema)',
  tool: 'a forced tool call',
  object: 'JSON as the form of the answer (response_format: json_object)',
  text: 'an answer in text',
}

/** Returns how the answer to a request is asked for: tools are offered as such to a model that has not refused them. */
export function answerMode(
  { answerModes: [first, ...others] }: RequestFormat,
  { tools }: Pick<ChatRequest, 'tools'>,
): AnswerMode | undefined {
  return tools !== undefined && others.includes('tool') ? 'tool' : first
}

export function requestParameters(request: ChatRequest, form: RequestFormat): ChatCompletionCreateParams {
  const {
    limits: [limit = 'max_tokens'],
    settings,
    receptions: [reception],
    countsEachToken,
  } = form
  const way = answerMode(form, request)
  const { model, answer, tools, maxTokens, extraBody } = request
  const isNative = way === 'tool' && tools !== undefined
  const messages = isNative ? request.messages : withoutToolMessages(request.messages)
  const sent = settings.flatMap((setting) => {
    const value = request[settingFields[setting]]
    return value === undefined ? [] : [[setting, value] as const]
  })
  return {
    ...extraBody,
    model,
    messages: (way === 'text' || way === 'object' ? withSchema(messages, answer) : messages).map(sentMessage),
    ...(reception === 'whole' ? { stream: false } : { stream: true }),
    ...(reception !== 'whole' && countsEachToken ? { timings_per_token: true } : {}),
    ...(reception === 'stream_usage' ? { stream_options: { include_usage: true } } : {}),
    ...Object.fromEntries(sent),
    [limit]: maxTokens,
    ...(isNative ? { tools: [...tools], tool_choice: 'auto' as const } : answerParameters(answer, way)),
  }
}

function answerParameters(
  answer: ChatRequest['answer'],
  way: AnswerMode | undefined,
): Partial<ChatCompletionCreateParams> {
  const { name, parameters } = answer.function
  switch (way) {
    case 'tool':
      return { tools: [answer], tool_choice: { type: 'function', function: { name } } }
    case 'schema':
      return {
        response_format: { type: 'json_schema', json_schema: { name, strict: true, schema: parameters } },
      }
    case 'object':
      return { response_format: { type: 'json_object' } }
    default:
      return {}
  }
}

/**
 * Adds the schema to the prompt, as nothing else describes the answer then. It is shorter than the tool,
 * which the reservation covers.
 */
function withSchema(
  messages: readonly ChatMessage[],
  { function: { parameters } }: ToolSchema,
): ChatMessage[] {
  const words = `Answer with one JSON object alone, of this JSON Schema:\n${JSON.stringify(parameters)}`
  return addToLastMessage(messages, words)
}

/** Returns a message as endpoints read it. */
function sentMessage({ role, content, calls, callId = '' }: ChatMessage): ChatCompletionMessageParam {
  switch (role) {
    case 'tool':
      return { role, content, tool_call_id: callId }
    case 'assistant':
      return calls === undefined || calls.length === 0
        ? { role, content }
        : {
            role,
            content,
            tool_calls: calls.map(({ id, name, arguments: given }) => ({
              id,
              type: 'function' as const,
              function: { name, arguments: given },
            })),
          }
    default:
      return { role, content }
  }
}

/** Returns a conversation with tools for a model that knows of none: its calls as it would write them, their results as words. */
function withoutToolMessages(messages: readonly ChatMessage[]): ChatMessage[] {
  const plain: ChatMessage[] = []
  for (const message of messages) {
    const last = plain.at(-1)
    if (message.role === 'tool') {
      const content = `Result of ${message.name ?? 'the tool'}:\n${message.content}`
      // Some chat templates take no two turns of one side.
      if (last?.role === 'user')
        plain[plain.length - 1] = { role: 'user', content: `${last.content}\n\n${content}` }
      else plain.push({ role: 'user', content })
    } else if (message.calls !== undefined && message.calls.length > 0)
      plain.push({ role: 'assistant', content: writtenCalls(message.calls) })
    else plain.push(message)
  }
  return plain
}

function writtenCalls(calls: readonly ToolCall[]): string {
  return JSON.stringify({
    calls: calls.map(({ name, arguments: given }) => ({ name, arguments: parseJson(given) ?? given })),
  })
}
