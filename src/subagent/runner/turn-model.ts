import type { ChatMessage, ToolCall, ToolSchema } from '../../llm/provider.js'

/** What a model says in one turn. */
export interface ModelTurn {
  readonly text: string
  /** In the order written. */
  readonly calls: readonly ToolCall[]
}

export interface TurnRequest {
  readonly messages: readonly ChatMessage[]
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
