/** Whether the words stand in the text, whole and in any case. */
export function mentions(text: string, words: string): boolean {
  const escaped = words.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/\s+/g, '\\s+')
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])`, 'iu').test(text)
}
