import type { APIError } from 'openai'
import { z } from 'zod'
import type { Failure } from '../provider.js'
import type { Excerpter } from './read-completion.js'

const lowerLimit = 'Lower max_tokens of the role in `llm.roles`.'
const longerContext =
  'Give the model a longer context (--ctx-size of llama.cpp, --max-model-len of vLLM, num_ctx of Ollama), or lower max_tokens in `llm.roles`.'

/**
 * Classifies an error about lengths: of the prompt, of the requested answer, or of both together. Undefined
 * for other errors. It is `rejected` only if a shorter prompt would not help.
 */
export function lengthFailure(error: APIError, maxTokens: number, start: Excerpter): Failure | undefined {
  const { status = 0, message: said } = error
  const message = `HTTP ${status}: ${start(said.replace(/^\d+\s*/, ''))}`
  if (status === 400 && /(?:max_tokens|output limit) was reached/i.test(said)) {
    // OpenAI's error for a model whose reasoning used the whole length of the answer.
    const hint = 'Raise max_tokens of the role in `llm.roles`.'
    return { kind: 'failure', failure: 'unusable', message, hint, cutOff: true }
  }
  if (wantsTooMuch(error, maxTokens))
    return { kind: 'failure', failure: 'rejected', message, hint: lowerLimit }
  if (!isTooLong(error)) return undefined
  return {
    kind: 'failure',
    failure: 'context',
    message,
    hint: longerContext,
    contextTokens: contextIn(error),
  }
}

/** Returns the context that an error names: in a field, as llama.cpp does, or in words. */
function contextIn({ error: body, message }: APIError): number | undefined {
  const field = z.object({ n_ctx: z.int().min(1) }).safeParse(body)
  if (field.success) return field.data.n_ctx
  const words =
    /(?:maximum context length(?: is| of)?|context (?:length|size|window)(?: is| of)?|n_ctx)\D{0,12}(\d{3,})/i
  const found = words.exec(message)?.[1]
  return found === undefined ? undefined : Number(found)
}

const context = /context[ _]?(?:length|size|window)/i
/** Messages of Anthropic, Gemini and TGI. */
const words =
  /too many tokens|too long|token count \S+ exceeds|max_new_tokens`? must be <=|must have less than/i

function isTooLong({ status, code, message }: APIError): boolean {
  if (status === 413 || code === 'context_length_exceeded') return true
  // OpenAI and Groq: more tokens than allowed per minute, which waiting does not change.
  if (status === 429) return /^\d+ request too large/i.test(message)
  // llama.cpp sends 500 if an answer exceeds the context, TGI 422.
  if (status === 500) return context.test(message)
  if (status !== 400 && status !== 422) return false
  return context.test(message) || words.test(message)
}

/** Reports whether the allowed answer alone is too long, or together with the prompt. */
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
