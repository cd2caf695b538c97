import type { KnowledgeBase, Metric } from '../../../../../kb/entry.js'
import { containsWords } from '../../../../../kb/words/contains-words.js'
import { contentWords } from '../../../../../kb/words/content-words.js'
import { tokenize } from '../../../../../kb/words/tokens.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import { formatOf, type RepairContext } from '../../model/repair-context.js'

/**
 * Returns the words that the authors use for a metric: its name, title and aliases, the comments of its
 * files, the column aliases of its snippet. The columns that it reads do not count: a rate of clicks is no
 * number of clicks.
 *
 * @param without an alias to leave out
 */
export function metricNames(
  metric: Metric,
  kb: KnowledgeBase,
  snapshot: Snapshot,
  context: Pick<RepairContext, 'format'>,
  without?: string,
): string[] {
  const snippet = kb.snippets.get(metric.snippet)?.text ?? ''
  const outputs = [...snippet.matchAll(/\bAS\s+(\w+)/gi)].map(([, name]) => name ?? '')
  const comments = [
    ...[...snippet.matchAll(/--(.*)|\/\*([\s\S]*?)\*\//g)].map(([, line, block]) => line ?? block ?? ''),
    ...formatOf(context).declarationOf(metric, snapshot).prose,
  ]
  const aliases = metric.aliases.filter((alias) => alias.toLowerCase() !== without?.toLowerCase())
  return [
    metric.name,
    metric.title,
    ...aliases,
    ...outputs,
    ...comments.filter((line) => !negationPattern.test(line)),
  ]
}

/** Matches negations: `never call this turnover` relates nothing. */
const negationPattern = /\b(?:not|never|no longer|isn't|don't|unlike|instead of)\b/iu

/** Returns the lines of the notes that contain one of the words as a whole word. */
export function noteLinesMentioning(kb: KnowledgeBase, words: readonly string[]): string[] {
  return kb.notes.flatMap(({ text }) =>
    text
      .split('\n')
      .filter((line) => !negationPattern.test(line) && words.some((word) => containsWords(line, word))),
  )
}

/**
 * Reports whether all meaningful words of a phrase are among those of the names, or one is the initials of
 * the other.
 */
export function coversWords(names: readonly string[], phrase: string): boolean {
  const known = new Set(names.flatMap(contentWords))
  const words = contentWords(phrase)
  if (words.length > 0 && words.every((word) => [...known].some((other) => hasSameStem(word, other))))
    return true
  return names.some((name) => isInitials(phrase, name) || isInitials(name, phrase))
}

const minStemLength = 4

/**
 * Reports whether two words begin alike and differ in a short ending: `refund` and `refunds`, `visit` and
 * `visits`, `convert` and `conversion`.
 */
function hasSameStem(one: string, other: string): boolean {
  if (one === other) return true
  let shared = 0
  while (shared < one.length && one[shared] === other[shared]) shared += 1
  const longest = Math.max(one.length, other.length)
  return shared >= minStemLength && shared * 2 > longest && Math.min(one.length, other.length) - shared <= 2
}

/** Reports whether one is the initials of the other: `CTR` of `click through rate`. */
function isInitials(short: string, long: string): boolean {
  const words = tokenize(long.replaceAll('_', ' ')).filter(({ isWord }) => isWord)
  const letters = words.map(({ folded }) => folded.charAt(0)).join('')
  return words.length > 1 && letters === short.trim().toLowerCase()
}

/**
 * Reports whether a code of two or three letters abbreviates the word, its letters in order and beginning
 * with the first: `TH` of `Thailand`, `MY` of `Malaysia`.
 */
export function isAbbreviationOf(code: string, word: string): boolean {
  const [short, long] = [code.toLowerCase(), word.toLowerCase()]
  if (!/^\p{L}{2,3}$/u.test(short) || short.length >= long.length || short[0] !== long[0]) return false
  let at = 0
  return [...short].every((letter) => {
    at = long.indexOf(letter, at) + 1
    return at > 0
  })
}
