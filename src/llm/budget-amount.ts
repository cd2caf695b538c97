import type { ChatRequest, Usage } from './provider.js'

/**
 * The usage of calls: their number, tokens of prompts and answers together, and money in the currency of the
 * price table.
 */
export interface BudgetAmount {
  readonly calls: number
  readonly tokens: number
  readonly cost: number
}

/** Per million tokens. */
export interface Price {
  readonly in: number
  readonly out: number
}

export const zeroAmount: BudgetAmount = { calls: 0, tokens: 0, cost: 0 }

export function addAmounts(a: BudgetAmount, b: BudgetAmount): BudgetAmount {
  return { calls: a.calls + b.calls, tokens: a.tokens + b.tokens, cost: a.cost + b.cost }
}

export function budgetAmountOf({ inputTokens, outputTokens }: Usage, price: Price | undefined): BudgetAmount {
  const cost = price === undefined ? 0 : (inputTokens * price.in + outputTokens * price.out) / 1_000_000
  return { calls: 1, tokens: inputTokens + outputTokens, cost }
}

/** Average number of characters per token in ordinary text. */
const charactersOfToken = 4

/**
 * Returns the probable usage of a call with an answer of the given length in characters, for an endpoint that
 * does not report it.
 */
export function estimateUsage(request: ChatRequest, answerLength: number): Usage {
  return {
    inputTokens: Math.ceil(promptOf(request).length / charactersOfToken),
    outputTokens: Math.ceil(answerLength / charactersOfToken),
  }
}

/**
 * Returns the maximum usage of a call: a token has at least one byte, and every message adds a few tokens.
 */
export function maxUsage(request: ChatRequest): Usage {
  const bytes = Buffer.byteLength(promptOf(request), 'utf8')
  return { inputTokens: bytes + 8 * request.messages.length, outputTokens: request.maxTokens }
}

function promptOf({ messages, answer }: ChatRequest): string {
  return messages.map(({ content }) => content).join('') + JSON.stringify(answer)
}
