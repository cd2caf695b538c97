const word = /[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_,;:[\]{}"']/gu

/**
 * Whether going from `current` to `after` only takes back what `current` changed of `committed`: each word that it adds
 * is one that was taken away, each word that it takes away one that was added. Layout, the marks of lists, letter case
 * and `!=` for `<>` do not matter.
 */
export function isPartialRevert(committed: string, current: string, after: string): boolean {
  const [had, has, willHave] = [committed, current, after].map(countWords) as [Counts, Counts, Counts]
  for (const each of new Set([...has.keys(), ...willHave.keys()])) {
    const now = has.get(each) ?? 0
    const change = (willHave.get(each) ?? 0) - now
    const missing = (had.get(each) ?? 0) - now
    if (change * missing < 0 || Math.abs(change) > Math.abs(missing)) return false
  }
  return true
}

type Counts = ReadonlyMap<string, number>

function countWords(text: string): Counts {
  const counts = new Map<string, number>()
  const folded = text.toLowerCase().replaceAll('!=', '<>')
  for (const [each] of folded.matchAll(word)) counts.set(each, (counts.get(each) ?? 0) + 1)
  return counts
}
