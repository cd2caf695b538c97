const word = /[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_,;:[\]{}"']/gu

/**
 * Reports whether the change from `current` to `after` only reverts changes that `current` made to
 * `committed`: each added word is one that was removed, each removed word one that was added. Layout, list
 * markers, letter case and `!=` for `<>` do not matter.
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
