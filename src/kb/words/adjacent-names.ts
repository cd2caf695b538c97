import type { Span } from '../question-interpretation.js'
import { contentWords } from './content-words.js'
import { spanOf, type Token } from './tokens.js'

/** A value in a question, with the name of its parameter. */
interface NamedValue {
  readonly parameter: string
  readonly span: Span
}

/**
 * Returns the names of parameters directly beside their values, where they add no meaning: "the western
 * region", "segment: business", "over 45 minutes".
 */
export function adjacentParameterNames(
  question: string,
  tokens: readonly Token[],
  values: readonly NamedValue[],
): Span[] {
  const words = tokens.filter(({ isWord }) => isWord)
  return values.flatMap(({ parameter, span }) => {
    const { length } = contentWords(parameter)
    if (length === 0) return []
    const behind = words.filter(({ start }) => start >= span.end).slice(0, length)
    const ahead = words.filter(({ end }) => end <= span.start).slice(-length)
    return [behind, ahead].flatMap((found) => {
      const [first, last] = [found[0], found.at(-1)]
      const isName = matchesParameterName(
        parameter,
        found.map(({ folded }) => folded),
      )
      if (first === undefined || last === undefined || !isName) return []
      const gap = question.slice(Math.min(span.end, last.end), Math.max(span.start, first.start))
      return /^[\s:=-]*$/u.test(gap) ? [spanOf(question, first.start, last.end)] : []
    })
  })
}

/** Reports whether words, in lower case, are the name of a parameter, in singular or plural. */
export function matchesParameterName(parameter: string, words: readonly string[]): boolean {
  const name = contentWords(parameter)
  return (
    name.length > 0 &&
    words.length === name.length &&
    words.every((word, at) => word === name[at] || word === `${name[at]}s` || `${word}s` === name[at])
  )
}
