import type { Role } from '../enums/role.js'
import type { BudgetAmount, Price } from './budget-amount.js'
import type { ChatMessage, ChatRequest, Completion, Provider, ToolSchema, Usage } from './provider.js'

/** The model of a role. */
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
  /** In words for the model, which is asked once more. */
  | {
      readonly kind: 'unreadable'
      readonly message: string
      /** Whether the schema of the answer allows it, and it is wrong for another reason. */
      readonly fitsSchema?: boolean
    }

export interface LlmQuestion<T> {
  readonly role: Role
  readonly caseId: string
  readonly sample: number
  readonly messages: readonly ChatMessage[]
  readonly answer: ToolSchema
  /** Tools that may be called in this turn: the answer is a `ModelTurn` then. */
  readonly tools?: readonly ToolSchema[] | undefined
  /** Reads the expected answer from its JSON. */
  readonly read: (json: Readonly<Record<string, unknown>>) => AnswerReading<T>
  /** Forms of an answer that is a block of SQL instead of JSON; the first that can be read counts. Absent: it is none. */
  readonly fromSql?: ((sql: string) => readonly Readonly<Record<string, unknown>>[]) | undefined
  readonly signal?: AbortSignal | undefined
}

export type LlmAnswer<T> =
  /** `text` is the answer as the model wrote it, for the turns that follow. */
  | { readonly kind: 'answer'; readonly value: T; readonly text: string }
  /** The model answered, but the answer is not usable. */
  | { readonly kind: 'unusable'; readonly message: string }
  /** There is no answer: the endpoint is down, or the deadline passed. */
  | { readonly kind: 'unavailable'; readonly message: string }
  | { readonly kind: 'too_long'; readonly message: string }

/** Returns the usage of the single call for an answer, without retries. */
export interface Estimate {
  /** Identifies request and sample: calls with the same key are made once. */
  readonly key: string
  readonly probable: BudgetAmount
  /** Reserved before it is sent. */
  readonly most: BudgetAmount
}

/** One completed call, for the run database. */
export interface LlmCall {
  readonly role: Role
  readonly caseId: string
  readonly model: string
  /** Identifies request and sample. */
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

/** Every model of a run: with one budget, one cache of answers, one set of recordings. */
export interface Llm {
  /**
   * Asks, retries after temporary failures, and asks once more if the answer is invalid; every call is
   * charged. Throws `AutotestError`: `budget_exhausted`, `llm_rejected` and `llm_unavailable` if continuing
   * is useless, `replay_miss`.
   */
  ask<T>(question: LlmQuestion<T>, model: RoleModel): Promise<LlmAnswer<T>>
  /**
   * Returns the usage that asking will need; undefined if it was answered before.
   *
   * @param answerLength expected number of characters of the answer
   */
  estimate<T>(question: LlmQuestion<T>, model: RoleModel, answerLength: number): Estimate | undefined
}
