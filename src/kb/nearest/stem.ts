/** Returns a word without the ending of a plural, in lower case. */
export function stemOf(word: string): string {
  const folded = word.toLowerCase()
  if (folded.length > 4 && folded.endsWith('ies')) return `${folded.slice(0, -3)}y`
  return folded.length > 3 && folded.endsWith('s') && !folded.endsWith('ss') ? folded.slice(0, -1) : folded
}
