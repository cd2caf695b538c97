import type { Span } from '../interpretation.js'
import { overlaps, spanOf, type Token, tokenize } from './tokens.js'

/**
 * Words that carry no condition: leaving them out of a question changes nothing. Whatever narrows, splits or
 * compares (by, per, not, without, average, daily, vs …) is not among them: it must be covered, or the answer is wrong.
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
/** Signs that change what is asked: "refund %", "orders > 100". */
const meaningfulSigns = /^[%‰<>=≤≥≠]$/u

/** The stretches of content words outside the consumed spans; words with nothing but a hyphen or space between are one. */
export function leftoverSpans(question: string, consumed: readonly Span[]): Span[] {
  const shouted = question === question.toUpperCase() // Then capitals say nothing, but for two letters.
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

/** Words of a phrase that carry meaning, in lower case; how a dimension is asked for ("by", "per") does not count. */
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
  // The s of "market's" and the d of "I'd"; but "don't" keeps its don.
  if (token.text.length === 1 && before !== undefined && /^['’]$/.test(before.text)) return false
  if (!isStopWord(token.text)) return true
  // MY and IN in capitals are codes that the knowledge base does not know, not words.
  const capitals = token.text.length > 1 && token.text === token.text.toUpperCase()
  return capitals && (!shouted || token.text.length === 2)
}
