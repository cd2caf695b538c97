import type { KnowledgeBase, Metric } from '../../../../../kb/entry.js'
import { typos } from '../../../../../text/nearest-word.js'

/**
 * The word of the knowledge base that a phrase reads like a typo of: the same words, but for one that is a slip of the
 * fingers away and that neither it nor a second question has. Undefined where there is none.
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

/** Everything that a question can say to mean the metric or a value of it, and its name and title. */
function namesIn({ name, title, aliases, parameters }: Metric): string[] {
  const values = [...parameters.values()].flatMap((parameter) => {
    if (parameter.type === 'enum') return [...parameter.values.values()].flat()
    return parameter.type === 'choice' ? [...parameter.values.values()].flatMap((value) => value.aliases) : []
  })
  return [...aliases, ...values, title, name]
}

/** Letters of a word below which another letter makes another word. */
const minWordLength = 4

/** One letter too many, too few or wrong, or two that changed places; `orders` is no slip of `order`. */
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
