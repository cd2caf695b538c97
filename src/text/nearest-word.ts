import { distance } from 'fastest-levenshtein'

/**
 * Returns the word that was most likely meant, or undefined if none is near: at most a third of the letters
 * differ (at least one, at most three), ignoring case. Of equally near ones, the first of `words`.
 */
export function nearest(word: string, words: Iterable<string>): string | undefined {
  const typed = word.toLowerCase()
  const limit = Math.min(3, Math.max(1, Math.floor(word.length / 3)))
  let best: { readonly word: string; readonly distance: number } | undefined
  for (const candidate of words) {
    if (Math.abs(candidate.length - word.length) > limit) continue
    const found = typos(typed, candidate.toLowerCase())
    if (found <= limit && (best === undefined || found < best.distance))
      best = { word: candidate, distance: found }
  }
  return best?.word
}

/** Returns the number of letters to change, add or remove; two swapped letters count as one. */
export function typos(typed: string, word: string): number {
  const at = [...word].findIndex((letter, index) => letter !== typed[index])
  const swapped = word.slice(0, at) + word.slice(at + 1, at + 2) + word.slice(at, at + 1) + word.slice(at + 2)
  return at >= 0 && swapped === typed ? 1 : distance(typed, word)
}
