import { literalPattern } from '../../text/literal-pattern.js'

/** Reports whether the text contains the words as whole words, ignoring case. */
export function containsWords(text: string, words: string): boolean {
  const pattern = literalPattern(words).replaceAll(/\s+/g, '\\s+')
  return new RegExp(`(?<![\\p{L}\\p{N}_])${pattern}(?![\\p{L}\\p{N}_])`, 'iu').test(text)
}
