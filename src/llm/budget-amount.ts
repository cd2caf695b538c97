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

/** Returns the length of everything that a model is sent: its messages, and the form of the answer. */
export function promptLength({ messages, answer, tools }: ChatRequest): {
  readonly characters: number
  readonly bytes: number
} {
  const said = messages.map(({ content, calls = [] }) =>
    [content, ...calls.map(({ name, arguments: given }) => name + given)].join(''),
  )
  // In a turn with tools, the schema of the answer is about as long as they are, and only one of them is sent.
  const prompt = said.join('') + JSON.stringify(answer) + (tools === undefined ? '' : JSON.stringify(tools))
  return { characters: prompt.length, bytes: Buffer.byteLength(prompt, 'utf8') }
}
