import { contentWords } from '../../../../../kb/words/content-words.js'
import { stemsOf } from './changed-words.js'

const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** Up to so many words may name an edit in any language: "wip", "fix", "update". */
const fewWords = 2

/** An English sentence has one of these more often than not; hardly another language in Latin script has them. */
const englishWords =
  /\b(?:the|this|that|these|those|and|from|with|without|if|when|where|which|who|into|been|are|were|its|they|our|not|only|should|must|have|has|because)\b|n't\b/iu

/**
 * Reports whether what a message says cannot be told, because it is written in another script, or in words of which none is
 * English: rules of English would find no reason in it, whatever it says.
 *
 * @param text without names of files, hashes and trailers
 * @param isEnglish reports whether a word of the message is known as English
 */
export function isUnreadLanguage(
  text: string,
  { stems }: { readonly stems: ReadonlySet<string> },
  isEnglish: (word: string) => boolean,
): boolean {
  const words = [...segmenter.segment(text)].flatMap(({ segment, isWordLike }) =>
    isWordLike === true && /\p{L}/u.test(segment) && !stemsOf(segment).every((each) => stems.has(each))
      ? [segment]
      : [],
  )
  const isLatin = (word: string): boolean => /^[\p{Script=Latin}\p{N}_'’.-]+$/u.test(word)
  const latin = words.filter(isLatin)
  // What is not UTF-8 is read as replacement characters.
  const foreign = words.length - latin.length + (text.match(/\uFFFD/gu)?.length ?? 0)
  if (foreign > fewWords) return foreign >= latin.length
  return latin.length > fewWords && !englishWords.test(text) && !contentWords(text).some(isEnglish)
}
