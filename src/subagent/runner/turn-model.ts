import type { ToolSchema } from '../../llm/provider.js'

/** A call of a tool as a model wrote it. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** As the model wrote them: JSON, if it keeps to the schema. */
  readonly arguments: string
}

/** A message of a conversation with tools. */
export type TurnMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly calls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly name: string; readonly content: string }

/** What a model says in one turn. */
export interface ModelTurn {
  readonly text: string
  /** In the order written. */
  readonly calls: readonly ToolCall[]
}

export interface TurnRequest {
  readonly messages: readonly TurnMessage[]
  readonly tools: readonly ToolSchema[]
  /** Index of the turn, from 0. */
  readonly turn: number
}

/**
 * What decides the next tool calls of a subagent: a model behind an endpoint, or rules. Throws `AutotestError` where it
 * cannot be asked.
 */
export interface TurnModel {
  next(request: TurnRequest, signal: AbortSignal): Promise<ModelTurn>
}
