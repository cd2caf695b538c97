import type { AnswerMode } from '../config/model-providers.js'
import type { Role } from '../enums/role.js'

/** `openai` is any endpoint with its protocol; `scripted` answers from a file. */
export const providerNames = ['openai', 'scripted'] as const
export type ProviderName = (typeof providerNames)[number]

/** A call of a tool as a model wrote it. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** As the model wrote them: JSON, if it keeps to the schema. */
  readonly arguments: string
}

export interface ChatMessage {
  /** `tool`: the result of a call. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string
  /** Tools that an assistant called. */
  readonly calls?: readonly ToolCall[] | undefined
  /** Of a result: the call's id, and the tool's name. */
  readonly callId?: string | undefined
  readonly name?: string | undefined
}

/** A tool in the form of OpenAI-style endpoints; `parameters` is a JSON Schema of type object. */
export interface ToolSchema {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description: string
    readonly strict: true
    readonly parameters: Readonly<Record<string, unknown>>
  }
}

/** One question to a model. Equal requests have equal keys, whatever the endpoint. */
export interface ChatRequest {
  /** The endpoint's own name for it. */
  readonly model: string
  readonly messages: readonly ChatMessage[]
  /** The tool whose arguments are the answer; of a turn with tools, a schema of calls for models that cannot call any. */
  readonly answer: ToolSchema
  /** Tools that the model may call in this turn; absent: the answer is all that is asked for. */
  readonly tools?: readonly ToolSchema[] | undefined
  /** Absent: the endpoint's default; some models accept no other. */
  readonly temperature?: number | undefined
  readonly seed?: number | undefined
  /** Makes words that occurred less likely, for a model that repeated itself: from -2 to 2. */
  readonly frequencyPenalty?: number | undefined
  /** Maximal number of tokens of the answer. */
  readonly maxTokens: number
  /** Further fields that the endpoint supports. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined
}

export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** The part of the input that the endpoint had cached; absent if it does not say. */
  readonly cachedTokens?: number | undefined
}

/** What a model wrote, and how it was asked for. */
export interface ModelText {
  readonly text: string
  /** Absent for a provider without modes. */
  readonly mode?: AnswerMode | undefined
  /** Whether it is the arguments of a tool call. */
  readonly called?: boolean | undefined
  /** Whether it declines to answer, in whatever form. */
  readonly refused?: boolean | undefined
}

/**
 * Why there is no answer. `transient` may pass; `rate_limit` will, once fewer requests are sent; `loading` is
 * a server that is not ready yet; `form` is a request that is sent in another form next time, because the
 * model rejects this one; `timeout` is the passed deadline of the whole answer; `rejected` is permanent: no
 * key, unknown model, an untrusted certificate; `incompatible` is a response that no OpenAI-compatible server
 * sends; `unusable` is a reply that was truncated, refused or ambiguous; `context` is a prompt that is too
 * long.
 */
export const failureKinds = [
  'transient',
  'rate_limit',
  'loading',
  'form',
  'timeout',
  'rejected',
  'incompatible',
  'unusable',
  'context',
] as const
export type FailureKind = (typeof failureKinds)[number]

export interface Failure {
  readonly kind: 'failure'
  readonly failure: FailureKind
  /** The problem, without the endpoint's name and never with the key. */
  readonly message: string
  readonly hint?: string | undefined
  /** It says that asking again is useless, as a gateway does that has asked several times itself. */
  readonly final?: true | undefined
  /** Wait that the endpoint requests, in milliseconds. */
  readonly retryAfterMs?: number | undefined
  readonly usage?: Usage | undefined
  /** The endpoint was processing it, and its usage will never be known. */
  readonly cutOff?: true | undefined
  /** It was cut off before anything of the response arrived. */
  readonly beforeAnswer?: true | undefined
  /** Number of tokens of the answer that arrived before it was cut off; absent if that is not known. */
  readonly receivedTokens?: number | undefined
  /** The context of the model in tokens, where an endpoint says it with a prompt that is too long. */
  readonly contextTokens?: number | undefined
  /** What the model wrote, as far as it came; for an `unusable` answer. */
  readonly said?: ModelText | undefined
}

export interface Reply extends ModelText {
  readonly kind: 'reply'
  /** Absent if the endpoint does not report it. */
  readonly usage?: Usage | undefined
}

export type Completion = Reply | Failure

/** The context of a scripted answer, besides the request, which errors name. */
export interface CallContext {
  readonly role: Role
  /** Id of the case that the call is for; for a proposer, the first of its cases. */
  readonly caseId: string
  /** Index of the independent answer to the same request, from 0. */
  readonly sample: number
  /** Index of the try at this answer, from 0. */
  readonly attempt: number
  /** Called with the number of tokens of a streamed answer that have arrived; with undefined for one that is not streamed. */
  readonly onTokens?: ((tokens: number | undefined) => void) | undefined
}

/**
 * A model behind an endpoint: one try, no waiting, no retry. Every response of an endpoint is a completion,
 * never an exception, except for an abort, which rejects with the signal's reason.
 */
export interface Provider {
  /** The name of the endpoint for messages, without credentials. */
  readonly name: string
  complete(request: ChatRequest, context: CallContext, signal: AbortSignal): Promise<Completion>
  /**
   * Learns that a mode did not enforce the form of a model's answer, so that the next request uses another one; absent
   * for a provider without modes.
   */
  leaveAnswerMode?(model: string, mode: AnswerMode): void
  /** Learns that a model's answer could be read, so that it is asked in the same way in later runs. */
  keepAnswerMode?(model: string): void
  /** Returns the number of tokens that a prompt may have, if the endpoint has said so. */
  contextLimit?(model: string): number | undefined
  /** Learns that a model repeats itself without end, so that its next answers are watched; absent where they cannot be. */
  watchForLoops?(model: string): void
}
