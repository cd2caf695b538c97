import { literalPattern } from '../../text/literal-pattern.js'

/** Reports whether the text contains the words as whole words, ignoring case. */
export function containsWords(text: string, words: string): boolean {
  return wordsPattern([words]).test(text)
}

/** Returns a regular expression that finds any of the phrases as whole words, ignoring case. */
export function wordsPattern(phrases: readonly string[]): RegExp {
  const patterns = phrases.map((words) => literalPattern(words).replaceAll(/\s+/g, '\\s+'))
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${patterns.join('|')})(?![\\p{L}\\p{N}_])`, 'iu')
}
