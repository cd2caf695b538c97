/** Normalises words for comparison: case and spacing are ignored. */
export function foldWords(words: string): string {
  return words.trim().toLowerCase().replaceAll(/\s+/g, ' ')
}
