import type { ChooseReading, Difference, TextReplacement } from './snippet-alignment.js'

/** A place with several possible readings. */
interface ChoicePoint {
  readonly key: string
  readonly options: number
  readonly weight: number
}

/** How many readings are tried in all, and after one has succeeded: further ones only change the wording. */
const maxReadings = 64
const maxReadingsAfterFirst = 12

/**
 * Returns sets of differences with which the text meets the target, the likeliest reading first, each without
 * those that the target does not need. At most `most` of them.
 */
export function searchDifferences(
  text: string,
  read: (pick: ChooseReading) => readonly Difference[],
  meets: (text: string) => boolean,
  most: number,
): Difference[][] {
  const found: Difference[][] = []
  const texts = new Set<string>()
  const queue: { chosen: ReadonlyMap<string, number>; cost: number }[] = [{ chosen: new Map(), cost: 0 }]
  const seen = new Set<string>()
  let left = maxReadings
  for (
    let next = queue.shift();
    next !== undefined && left > 0 && found.length < most;
    next = queue.shift()
  ) {
    left -= 1
    const { chosen, cost } = next
    const picked = new Map<string, ChoicePoint>()
    const differences = read((key, options, weight = 1) => {
      picked.set(key, { key, options, weight })
      return chosen.get(key) ?? 0
    })
    const needed = minimizeDifferences(text, differences, meets, isDefaultReading(chosen))
    const result = needed && applyDifferences(text, needed)
    if (needed !== undefined && result !== undefined && !texts.has(result)) {
      texts.add(result)
      found.push(needed)
      left = Math.min(left, maxReadingsAfterFirst)
    }
    for (const { key, options, weight } of picked.values()) {
      if (chosen.has(key)) continue
      for (let option = 1; option < options; option += 1) {
        const varied = new Map([...chosen, [key, option] as const])
        const signature = [...varied]
          .map(([name, index]) => `${name}=${index}`)
          .sort()
          .join()
        if (seen.has(signature)) continue
        seen.add(signature)
        queue.push({ chosen: varied, cost: cost + option * weight })
      }
    }
    queue.sort((a, b) => a.cost - b.cost)
  }
  return found
}

/** Returns the differences without those that the target does not need; undefined if it is not met at all. */
function minimizeDifferences(
  text: string,
  differences: readonly Difference[],
  meets: (text: string) => boolean,
  thorough: boolean,
): Difference[] | undefined {
  const works = (some: readonly Difference[]): boolean => {
    const result = applyDifferences(text, some)
    return result !== undefined && meets(result)
  }
  let needed = [...differences]
  if (!works(needed)) {
    // One of them may be harmful if the two queries are equivalent in different words.
    const fewer = thorough
      ? [...needed.map((one) => needed.filter((other) => other !== one)), ...needed.map((one) => [one])]
      : []
    const working = fewer.find(works)
    if (working === undefined) return undefined
    needed = working
  }
  const drop = (unneeded: (difference: Difference) => boolean): void => {
    const without = needed.filter((difference) => difference.keep || !unneeded(difference))
    if (without.length < needed.length && works(without)) needed = without
  }
  // Ordinals belong together: once a removed column is restored, those that looked wrong are right again.
  drop(({ clause }) => clause === 'group' || clause === 'order')
  for (const clause of new Set(needed.map((difference) => difference.clause))) {
    drop((difference) => difference.clause === clause)
  }
  for (const difference of [...needed]) drop((other) => other === difference)
  return needed
}

/** Returns the text with all changes made, or undefined if two of them overlap. */
export function applyDifferences(text: string, differences: readonly Difference[]): string | undefined {
  const changes = new Map<string, TextReplacement>()
  for (const change of differences.flatMap((difference) => difference.changes)) {
    const isInsertion = change.start === change.end
    const key = `${change.start}:${change.end}:${isInsertion ? change.text : ''}`
    const other = changes.get(key)
    if (other !== undefined && other.text !== change.text) return undefined
    changes.set(key, change)
  }
  const ordered = [...changes.values()].sort((a, b) => a.start - b.start || a.end - b.end)
  let result = ''
  let at = 0
  for (const change of ordered) {
    if (change.start < at) return undefined
    result += text.slice(at, change.start) + change.text
    at = change.end
  }
  return result + text.slice(at)
}

/** Reports whether every reading is the likeliest, except how sub-queries correspond. */
function isDefaultReading(chosen: ReadonlyMap<string, number>): boolean {
  return [...chosen.keys()].every((key) => key.startsWith('views:'))
}
