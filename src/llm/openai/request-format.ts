import type { APIError } from 'openai'
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions'
import type { ChatMessage, ChatRequest } from '../provider.js'

/** How JSON is requested as the answer. */
type AnswerMode = 'tools' | 'json_schema' | 'text'

/**
 * Name of the field for the maximal length of an answer: newer models of OpenAI reject the name that other
 * servers know.
 */
type Limit = 'max_tokens' | 'max_completion_tokens'

/** Settings of a role that reasoning models and some gateways reject. */
type Setting = 'temperature' | 'seed'

/** The form of a request: of each feature, the variants that the model has not rejected yet, best first. */
export interface RequestFormat {
  readonly answerModes: readonly AnswerMode[]
  readonly limits: readonly Limit[]
  readonly settings: readonly Setting[]
}

/**
 * Returns the form that is tried first. OpenAI's own newer models reject `max_tokens`, many other servers do
 * not know the new name.
 */
export function initialFormat(official: boolean): RequestFormat {
  return {
    answerModes: ['tools', 'json_schema', 'text'],
    limits: official ? ['max_completion_tokens', 'max_tokens'] : ['max_tokens', 'max_completion_tokens'],
    settings: ['temperature', 'seed'],
  }
}

/** A feature that a model does not support, and the format without it. */
export interface FormatFallback {
  readonly form: RequestFormat
  readonly refused: string
  /** Settings of the role that are left out from now on. */
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
    const dropped = form.settings.filter((name) => request[name] !== undefined && isNamed(name, error))
    if (dropped.length > 0) {
      const settings = form.settings.filter((name) => !dropped.includes(name))
      return { form: { ...form, settings }, refused: dropped.join(' and '), dropped }
    }
    const [limit, ...limits] = form.limits
    if (limit !== undefined && limits.length > 0 && isNamed(limit, error))
      return { form: { ...form, limits }, refused: limit, dropped: [] }
  }
  const [way, ...ways] = form.answerModes
  if (way === undefined || ways.length === 0 || !refusesAnswerMode(error, way)) return undefined
  return {
    form: { ...form, answerModes: ways },
    refused: error.param ?? 'a format of the answer',
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
    return (way === 'tools' ? /\btools\b|\btool use\b|tool_choice/i : /response_format|json_schema/i).test(
      message,
    )
  if (status !== 400 && status !== 422 && status !== 501) return false
  const words =
    way === 'tools'
      ? /\btools?\b|tool_choice|function|grammar/i
      : /response_format|json_schema|schema|grammar/i
  return words.test(message)
}

export function requestParameters(
  { model, messages, answer, temperature, seed, maxTokens, extraBody }: ChatRequest,
  { answerModes: [way], limits: [limit = 'max_tokens'], settings }: RequestFormat,
): ChatCompletionCreateParamsNonStreaming {
  const { name, parameters } = answer.function
  const takes = (setting: Setting): boolean => settings.includes(setting)
  return {
    ...extraBody,
    model,
    messages: way === 'text' ? withSchema(messages, parameters) : [...messages],
    stream: false,
    ...(temperature === undefined || !takes('temperature') ? {} : { temperature }),
    ...(seed === undefined || !takes('seed') ? {} : { seed }),
    [limit]: maxTokens,
    ...(way === 'tools' ? { tools: [answer], tool_choice: { type: 'function', function: { name } } } : {}),
    ...(way === 'json_schema'
      ? {
          response_format: { type: 'json_schema', json_schema: { name, strict: true, schema: parameters } },
        }
      : {}),
  }
}

/**
 * Adds the schema to the prompt, as nothing else describes the answer then. It is shorter than the tool,
 * which the reservation covers.
 */
function withSchema(messages: readonly ChatMessage[], schema: object): ChatMessage[] {
  const words = `\n\nAnswer with one JSON object alone, of this JSON Schema:\n${JSON.stringify(schema)}`
  return messages.map((message, at) =>
    at === messages.length - 1 ? { ...message, content: message.content + words } : message,
  )
}
