import type { APIError } from 'openai'
import type { Failure } from '../provider.js'
import type { Excerpter } from './read-completion.js'

const lowerLimit = 'Lower max_tokens of the role in `llm.roles`.'
const longerContext =
  'Give the model a longer context (--ctx-size of llama.cpp, --max-model-len of vLLM, num_ctx of Ollama), or lower max_tokens in `llm.roles`.'

/**
 * Classifies an error about lengths: of the prompt, of the requested answer, or of both together. Undefined where
 * it is about something else. Only what no shorter prompt would change is `rejected`.
 */
export function lengthFailure(error: APIError, maxTokens: number, start: Excerpter): Failure | undefined {
  const { status = 0, message: said } = error
  const message = `HTTP ${status}: ${start(said.replace(/^\d+\s*/, ''))}`
  if (status === 400 && /(?:max_tokens|output limit) was reached/i.test(said)) {
    // OpenAI says so of a model that thought for as long as its answer might be.
    const hint = 'Raise max_tokens of the role in `llm.roles`.'
    return { kind: 'failure', failure: 'unusable', message, hint, cutOff: true }
  }
  if (wantsTooMuch(error, maxTokens))
    return { kind: 'failure', failure: 'rejected', message, hint: lowerLimit }
  return isTooLong(error) ? { kind: 'failure', failure: 'context', message, hint: longerContext } : undefined
}

const context = /context[ _]?(?:length|size|window)/i
/** Of Anthropic, Gemini and TGI. */
const words =
  /too many tokens|too long|token count \S+ exceeds|max_new_tokens`? must be <=|must have less than/i

function isTooLong({ status, code, message }: APIError): boolean {
  if (status === 413 || code === 'context_length_exceeded') return true
  // OpenAI and Groq: more tokens than it takes in a minute, which no waiting makes fewer.
  if (status === 429) return /^\d+ request too large/i.test(message)
  // llama.cpp says 500 where an answer outgrows the context, TGI 422.
  if (status === 500) return context.test(message)
  if (status !== 400 && status !== 422) return false
  return context.test(message) || words.test(message)
}

/** Whether the answer alone is allowed to be longer than any, or than prompt and answer together. */
function wantsTooMuch({ status, message }: APIError, maxTokens: number): boolean {
  if (status !== 400 && status !== 422) return false
  const together =
    /(?:context[ _]?(?:length|size|window)\D{0,12}|max_new_tokens`? must be <= )(\d+)/i.exec(message)?.[1] ??
    Number.POSITIVE_INFINITY
  if (maxTokens >= Number(together)) return true
  if (!/max_(?:completion_|new_)?tokens/.test(message) || /input tokens|prompt|messages/i.test(message))
    return false
  return /too large|at most|less than or equal|valid range|maximum (?:allowed|value)/i.test(message)
}
