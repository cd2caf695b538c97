import { promptLength } from './budget-amount.js'
import type { ChatRequest, Usage } from './provider.js'

/** How many tokens a model's prompts have, by what its endpoint counted. */
export interface TokenRatio {
  /** Takes note of the usage that the endpoint reports for a request. */
  observe(request: ChatRequest, usage: Usage): void
  /** Returns the probable number of tokens of a prompt. */
  probable(request: ChatRequest): number
  /** Returns the same, by the endpoint's counts alone; undefined before it has counted any. */
  measured(request: ChatRequest): number | undefined
  /** Returns a number of tokens that a prompt does not exceed; before anything was counted, that of its bytes. */
  most(request: ChatRequest): number
}

/** Number of characters per token before an endpoint has counted any: that of English and SQL. */
const assumedCharacters = 3
/** Prompts of one role are alike, but not equal: another one may have this much more tokens per character. */
const margin = 1.25
/** The weight of the latest prompt in the running ratio. */
const weight = 0.3
/** Tokens that a chat template adds for each message. */
const perMessage = 8

export function createTokenRatio(): TokenRatio {
  let mean: number | undefined
  let highest = 0
  return {
    observe(request, { inputTokens }) {
      const length = promptLength(request)
      if (length.characters === 0) return
      const ratio = inputTokens / length.characters
      mean = mean === undefined ? ratio : mean + weight * (ratio - mean)
      highest = Math.max(highest, ratio)
    },
    probable: (request) => Math.ceil(promptLength(request).characters * (mean ?? 1 / assumedCharacters)),
    measured: (request) =>
      mean === undefined ? undefined : Math.floor(promptLength(request).characters * mean),
    most(request) {
      const { characters, bytes } = promptLength(request)
      // A token has at least one byte.
      const certain = bytes + perMessage * request.messages.length
      if (mean === undefined) return certain
      return Math.min(
        certain,
        Math.ceil(characters * highest * margin) + perMessage * request.messages.length,
      )
    },
  }
}
