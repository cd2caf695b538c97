import type { Role } from '../enums/role.js'
import type { BudgetAmount, Price } from './budget-amount.js'
import type { ChatMessage, ChatRequest, Completion, Provider, ToolSchema, Usage } from './provider.js'

/** The model that a role speaks to. */
export interface RoleModel {
  readonly provider: Provider
  readonly model: string
  readonly temperature?: number | undefined
  readonly seed?: number | undefined
  readonly maxTokens: number
  readonly extraBody?: ChatRequest['extraBody']
  /** Deadline of one answer with all its retries, in milliseconds. */
  readonly timeoutMs: number
  /** Undefined: money is not counted. */
  readonly price: Price | undefined
}

export type AnswerReading<T> =
  | { readonly kind: 'read'; readonly value: T }
  /** In words that the model is told when it is asked once more. */
  | { readonly kind: 'unreadable'; readonly message: string }

export interface LlmQuestion<T> {
  readonly role: Role
  readonly caseId: string
  readonly sample: number
  readonly messages: readonly ChatMessage[]
  readonly answer: ToolSchema
  /** Takes the JSON of the answer for what it should be. */
  readonly read: (json: Readonly<Record<string, unknown>>) => AnswerReading<T>
  readonly signal?: AbortSignal | undefined
}

export type LlmAnswer<T> =
  /** `text` is the answer as the model wrote it, for the turns that follow. */
  | { readonly kind: 'answer'; readonly value: T; readonly text: string }
  /** The model answered, but nothing that can be taken. */
  | { readonly kind: 'unusable'; readonly message: string }
  /** No answer came: the endpoint is down, or the deadline passed. */
  | { readonly kind: 'unavailable'; readonly message: string }
  | { readonly kind: 'too_long'; readonly message: string }

/** Returns the usage of the single call for an answer, without retries. */
export interface Estimate {
  /** Names request and sample: what has the same is asked once. */
  readonly key: string
  readonly probable: BudgetAmount
  /** Set aside before it is sent. */
  readonly most: BudgetAmount
}

/** One call that was made, for the run database. */
export interface LlmCall {
  readonly role: Role
  readonly caseId: string
  readonly model: string
  /** Names request and sample. */
  readonly key: string
  readonly sample: number
  readonly attempt: number
  readonly completion: Completion
  /** As charged. */
  readonly usage: Usage
  readonly cost: number
  /** Latency in milliseconds. */
  readonly ms: number
}

/** Every model of a run: one budget, one memory, one set of recordings. */
export interface Llm {
  /**
   * Asks, asks again while trouble passes, and once more where the answer is not what it should be; every call is
   * charged. Throws `AutotestError`: `budget_exhausted`, `llm_rejected` and `llm_unavailable` where going on is of no
   * use, `replay_miss`.
   */
  ask<T>(question: LlmQuestion<T>, model: RoleModel): Promise<LlmAnswer<T>>
  /**
   * Returns the usage that asking will need; undefined where it was answered before.
   *
   * @param answerLength characters that the answer probably has
   */
  estimate<T>(question: LlmQuestion<T>, model: RoleModel, answerLength: number): Estimate | undefined
}
