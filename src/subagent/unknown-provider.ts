import { providerNames } from '../llm/provider.js'
import { nearest } from '../text/nearest-word.js'

/** Matches Ollama's tags for variants of a model, which also follow a colon: `llama:8b`, `phi:latest`. */
const tag =
  /^(?:latest|\d|[efv]\d|q\d|(?:\w+-)*(?:instruct|chat|text|code|base|vision|cloud|mini|small|medium|large)\b)/i

/** Returns the warning for `anthropic:claude-3`, whose provider is unknown; undefined for other models. */
export function unknownProvider(model: string): { message: string; hint: string } | undefined {
  if (model.endsWith('.gguf') || providerNames.some((name) => model.startsWith(`${name}:`))) return undefined
  const [, prefix, rest] = /^([a-z][a-z_-]*):(.+)$/i.exec(model) ?? []
  // Fine-tuned models of OpenAI are named ft:….
  if (prefix === undefined || rest === undefined || prefix === 'ft' || tag.test(rest)) return undefined
  const guess = nearest(prefix, providerNames)
  return {
    message: `\`${prefix}\` is not a known provider (${providerNames.join(', ')}): ${model} is sent to the endpoint as the model name`,
    hint:
      guess === undefined
        ? `Write openai:${rest}, and llm.base_url for its OpenAI-compatible endpoint; if that is its name, openai:${model}.`
        : `did you mean ${guess}:${rest}?`,
  }
}
