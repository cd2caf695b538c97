import type { Span } from '../question-interpretation.js'
import { overlaps, spanOf, type Token, tokenize } from './tokens.js'

/**
 * Words that carry no condition: leaving them out of a question changes nothing. Words that narrow, split or
 * compare (by, per, not, without, average, daily, vs …) are not included: they must be covered, or the answer
 * is wrong.
 */
const stopWords = new Set(
  [
    'a an the this these there it its s',
    'of in for on at to from with and during within over about among',
    'is are was were be been do does did has have had',
    'what which how many much',
    'show give tell get see know let want need report please can could would you your i me us we our my',
    'market markets',
  ].flatMap((line) => line.split(' ')),
)
/** Matches signs that change the question: "refund %", "orders > 100". */
const meaningfulSigns = /^[%‰<>=≤≥≠]$/u

/**
 * Returns the ranges of content words outside the consumed spans; words separated only by a hyphen or space
 * are joined.
 */
export function leftoverSpans(question: string, consumed: readonly Span[]): Span[] {
  const shouted = question === question.toUpperCase() // All capitals: letter case is no evidence then.
  const tokens = tokenize(question)
  const found: { start: number; end: number }[] = []
  for (const [index, token] of tokens.entries()) {
    if (consumed.some((span) => overlaps(span, token))) continue
    if (!isContent(token, tokens[index - 1], shouted)) continue
    const last = found.at(-1)
    const joins = last !== undefined && /^[\s\-/&'’]*$/u.test(question.slice(last.end, token.start))
    if (joins && !consumed.some((span) => overlaps(span, { start: last.end, end: token.start })))
      last.end = token.end
    else found.push({ start: token.start, end: token.end })
  }
  return found.map(({ start, end }) => spanOf(question, start, end))
}

/**
 * Returns the meaningful words of a phrase, in lower case; words that ask for a dimension ("by", "per") do
 * not count.
 */
export function contentWords(phrase: string): string[] {
  return tokenize(phrase.replaceAll('_', ' '))
    .filter(({ isWord, folded }) => isWord && !isStopWord(folded) && folded !== 'by' && folded !== 'per')
    .map(({ folded }) => folded)
}

export function isStopWord(word: string): boolean {
  return stopWords.has(word.toLowerCase())
}

function isContent(token: Token, before: Token | undefined, shouted: boolean): boolean {
  if (!token.isWord) return meaningfulSigns.test(token.text)
  // The s of "market's" and the d of "I'd"; but "don't" keeps its "don".
  if (token.text.length === 1 && before !== undefined && /^['’]$/.test(before.text)) return false
  if (!isStopWord(token.text)) return true
  // MY and IN in capitals are codes that the knowledge base does not have, not words.
  const capitals = token.text.length > 1 && token.text === token.text.toUpperCase()
  return capitals && (!shouted || token.text.length === 2)
}
