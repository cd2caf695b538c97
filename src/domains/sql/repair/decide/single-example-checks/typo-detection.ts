import type { KnowledgeBase, Metric } from '../../../../../kb/entry.js'
import { typos } from '../../../../../text/nearest-word.js'

/**
 * Returns the term of the knowledge base that a phrase appears to misspell: the same words, except one that
 * differs by a typing error and that occurs neither in the knowledge base nor in a second question. Undefined
 * if there is none.
 */
export function findIntendedTerm(
  phrase: string,
  kb: KnowledgeBase,
  questions: readonly string[] = [],
): string | undefined {
  const words = wordsOf(phrase)
  const known = kb.metrics.flatMap(namesIn)
  const written = new Set([...known, ...kb.notes.map(({ text }) => text)].flatMap(wordsOf))
  return known.find((name) => {
    const others = wordsOf(name)
    const wrong = words.flatMap((word, at) =>
      word === others[at] ? [] : [[word, others[at] ?? ''] as const],
    )
    const [slip, ...more] = wrong
    if (slip === undefined || more.length > 0 || words.length !== others.length) return false
    if (written.has(slip[0]) || !isTypo(...slip)) return false
    return questions.filter((question) => wordsOf(question).includes(slip[0])).length < 2
  })
}

/**
 * Returns everything that a question can use to refer to the metric or a value of it, with its name and
 * title.
 */
function namesIn({ name, title, aliases, parameters }: Metric): string[] {
  const values = [...parameters.values()].flatMap((parameter) => {
    if (parameter.type === 'enum') return [...parameter.values.values()].flat()
    return parameter.type === 'choice' ? [...parameter.values.values()].flatMap((value) => value.aliases) : []
  })
  return [...aliases, ...values, title, name]
}

/** Shorter words are not tested: another letter makes another word of them. */
const minWordLength = 4

/**
 * Reports whether two words differ by one letter too many, too few or wrong, or by two swapped letters;
 * `orders` is not a typo of `order`.
 */
function isTypo(word: string, known: string): boolean {
  if (Math.min(word.length, known.length) < minWordLength || /\d/u.test(word)) return false
  return typos(word, known) === 1 && !isInflected(word, known) && !isInflected(known, word)
}

function isInflected(long: string, short: string): boolean {
  return long.startsWith(short) && /^[sdry]$/u.test(long.slice(short.length))
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
