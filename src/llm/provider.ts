import type { Role } from '../enums/role.js'

/** `openai` is any endpoint that speaks its protocol; `scripted` answers from a file. */
export const providerNames = ['openai', 'scripted'] as const
export type ProviderName = (typeof providerNames)[number]

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** A tool as OpenAI-style endpoints take it; `parameters` is a JSON Schema of type object. */
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
  /** As the endpoint calls it. */
  readonly model: string
  readonly messages: readonly ChatMessage[]
  /** The tool whose arguments are the answer. */
  readonly answer: ToolSchema
  /** Absent: the endpoint's own; some models take no other. */
  readonly temperature?: number | undefined
  readonly seed?: number | undefined
  /** Most tokens of the answer. */
  readonly maxTokens: number
  /** Further fields, as the endpoint knows them. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined
}

export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
}

/**
 * Why there is no answer. `transient` may pass; `rate_limit` will, once fewer requests are sent; `loading` is a server that is
 * not ready yet, and will be; `form` is a request that is asked in another form the next time, because the model does not take this one;
 * `timeout` is the deadline of the whole answer, which passed; `rejected` will not pass: no key, unknown model, a certificate
 * that nobody trusts; `incompatible` is what no OpenAI-compatible server says; `unusable` is a reply that was cut, refused
 * or ambiguous; `context` is a prompt that is too long.
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
  /** Wait that the endpoint asks for, in milliseconds. */
  readonly retryAfterMs?: number | undefined
  readonly usage?: Usage | undefined
  /** The endpoint was at work on it, and what it took will not be known. */
  readonly cutOff?: true | undefined
}

export interface Reply {
  readonly kind: 'reply'
  /** The arguments of the answering tool, or the text where the model wrote one instead; not parsed yet. */
  readonly text: string
  /** Absent where the endpoint does not say. */
  readonly usage?: Usage | undefined
}

export type Completion = Reply | Failure

/** The context of a scripted answer, beside the request, which errors name. */
export interface CallContext {
  readonly role: Role
  /** Case that the call is for; a proposer's call names the first of its cases. */
  readonly caseId: string
  /** Which of several independent answers to the same request this is, from 0. */
  readonly sample: number
  /** Which try at this answer this is, from 0. */
  readonly attempt: number
}

/**
 * A model behind an endpoint: one try, no waiting, no retry. Whatever an endpoint does is a completion, never an
 * exception, except for an abort, which rejects with the signal's reason.
 */
export interface Provider {
  /** The endpoint as it may be shown, without credentials. */
  readonly name: string
  complete(request: ChatRequest, context: CallContext, signal: AbortSignal): Promise<Completion>
}
