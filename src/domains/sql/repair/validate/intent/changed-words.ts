import { tokenize } from '../../../../../kb/words/tokens.js'

/** Reduces a word to a form that its plural and its tenses share. */
export function stem(word: string): string {
  if (word.length < 4) return word
  return word
    .replace(/(?:ies|ied)$/u, 'y')
    .replace(/(?<=(?:s|x|z|ch|sh))es$/u, '')
    .replace(/(?<![su])s$/u, '')
    .replace(/(?<=\w{3})(?:ed|ing|ation|ion|e|ly)$/u, '')
    .replace(/([b-df-hj-np-tv-z])\1$/u, '$1')
}

/** Returns the stems of the words of a text; `deleted_at` and `isStaff` are two words each. */
export function stemsOf(text: string): string[] {
  const apart = text.replaceAll('_', ' ').replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
  return tokenize(apart).flatMap(({ isWord, folded }) => (isWord ? [stem(folded)] : []))
}

/** Parts of names that say nothing about which column is meant. */
const unspecific = new Set(
  stemsOf(
    'is has was at on by id dt ts num no count type name value amount day date time and or in not null the a of',
  ),
)

/**
 * Returns the words that tell two texts of a query apart: those of names, literals and numbers that only one of
 * them has.
 */
export function changedWords(before: readonly string[], after: readonly string[]): ReadonlySet<string> {
  const [had, has] = [new Set(before), new Set(after)]
  const only = [...before.filter((token) => !has.has(token)), ...after.filter((token) => !had.has(token))]
  return new Set(only.flatMap(stemsOf).filter((word) => word.length > 1 && !unspecific.has(word)))
}
