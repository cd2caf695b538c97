export type JsonReply =
  | { readonly kind: 'json'; readonly value: Readonly<Record<string, unknown>> }
  | { readonly kind: 'bad'; readonly message: string }

/** Longer answers are a model in a loop. */
const maxCharacters = 1_000_000
const maxDepth = 32
/** Keys that reach into an object's prototype where objects are merged. */
const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * The one JSON object that a model answered. Taken off are a byte order mark, a leading block of reasoning and one
 * fence around the whole; nothing is closed, unquoted or guessed, and two blocks are ambiguous.
 */
export function readJsonReply(text: string): JsonReply {
  if (text.length > maxCharacters) return bad('it is longer than a million characters')
  const answer = withoutReasoning(text.replace(/^\uFEFF/, '').trim())
  if (answer === undefined) return bad('its reasoning does not end')
  if (answer === '') return bad('it is empty')
  const blocks = answer.split('```').length - 1
  if (blocks > 2) return bad('it holds more than one block of JSON')
  const body = /^```(?:json)?\s*\n([\s\S]*)\n\s*```$/i.exec(answer)?.[1] ?? answer
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return bad(`it is not one JSON object: ${error.message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return bad('it is no JSON object')
  const problem = problemIn(value, 0)
  return problem === undefined ? { kind: 'json', value: { ...value } } : bad(problem)
}

/** What follows `<think>…</think>`; undefined where the thinking has no end. */
function withoutReasoning(text: string): string | undefined {
  if (!text.startsWith('<think>')) return text
  const end = text.indexOf('</think>')
  return end < 0 ? undefined : text.slice(end + '</think>'.length).trim()
}

function problemIn(value: object, depth: number): string | undefined {
  if (depth > maxDepth) return `it nests deeper than ${maxDepth}`
  for (const [key, part] of Object.entries(value)) {
    if (forbiddenKeys.has(key)) return `it has the key ${key}`
    const problem = typeof part === 'object' && part !== null ? problemIn(part, depth + 1) : undefined
    if (problem !== undefined) return problem
  }
  return undefined
}

function bad(message: string): JsonReply {
  return { kind: 'bad', message }
}
