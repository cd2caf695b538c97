import { extractAnswer } from './extract-answer.js'

export type JsonReply =
  | { readonly kind: 'json'; readonly value: Readonly<Record<string, unknown>> }
  | { readonly kind: 'bad'; readonly message: string }

/** Longer answers come from a model in a loop. */
const maxCharacters = 1_000_000
const maxDepth = 32
/** Keys that would change an object's prototype when objects are merged. */
export const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Reads the single JSON object in a model's answer, without the parts that `extractAnswer` removes; nothing
 * is repaired or guessed, and a reply that could be read as two answers is rejected.
 */
export function readJsonReply(text: string): JsonReply {
  if (text.length > maxCharacters) return invalidReply('it is longer than a million characters')
  const answer = extractAnswer(text)
  if ('problem' in answer) return invalidReply(answer.problem)
  if (answer.text === '') return invalidReply('it is empty')
  let value: unknown
  try {
    value = JSON.parse(answer.text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const why = /^\s*[[{]/.test(answer.text) ? error.message.replaceAll(/\s+/g, ' ') : excerptOf(answer.text)
    return invalidReply(`it is not one JSON object: ${why}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return invalidReply('it is not a JSON object')
  const problem = problemIn(value, 0) ?? findDuplicateKey(answer.text)
  return problem === undefined ? { kind: 'json', value: { ...value } } : invalidReply(problem)
}

function problemIn(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string')
    return /\p{Surrogate}/u.test(value) ? 'it contains half a surrogate pair' : undefined
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > maxDepth) return `it nests deeper than ${maxDepth}`
  for (const [key, part] of Object.entries(value)) {
    if (forbiddenKeys.has(key)) return `it has the key ${key}`
    const problem = problemIn(part, depth + 1)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Matches texts, with the colon after a key, and the brackets of objects and lists. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"\s*:?|[{}[\]]/g

/**
 * Returns a key that an object has twice, of which some parsers use the first, some the last; undefined if
 * there is none.
 *
 * @param part key of the outermost object to search in, with everything inside; absent: the whole
 */
export function findDuplicateKey(json: string, part?: string): string | undefined {
  const around: Set<string>[] = []
  let outermost: string | undefined
  for (const [token] of json.matchAll(tokens)) {
    if (token === '{' || token === '[') around.push(new Set())
    else if (token === '}' || token === ']') around.pop()
    else if (token.endsWith(':')) {
      const key = String(JSON.parse(token.slice(0, token.lastIndexOf('"') + 1)))
      if (around.length === 1) outermost = key
      const isLookedAt = part === undefined || part === outermost
      if (isLookedAt && around.at(-1)?.has(key))
        return `it has the key ${key.slice(0, 40)} twice in one object`
      around.at(-1)?.add(key)
    }
  }
  return undefined
}

/** Returns the beginning of a reply that is not JSON, on one line. */
function excerptOf(text: string): string {
  const line = text
    .slice(0, 400)
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim()
  const letters = [...line]
  return `"${letters.length > 80 ? `${letters.slice(0, 79).join('')}…` : line}"`
}

function invalidReply(message: string): JsonReply {
  return { kind: 'bad', message }
}
