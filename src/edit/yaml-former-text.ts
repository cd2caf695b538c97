import { splitLines } from '../snapshot/line-endings.js'
import { changedText, inserted, type TextChange } from '../text/text-changes.js'
import { diffHunks, type Hunk } from './line-edits.js'

/** Changes of texts that are far apart are tried alone and in runs of at most three. */
const maxChangesInRuns = 12
/** Longer additions within a line are tried as a whole only. */
const maxWordsTriedInParts = 60

/** Lines of a former text, 0-based. */
export interface FormerLines {
  /** Those of the item to restore, with the comments above it. */
  readonly item: ReadonlySet<number>
  /** Those that only other items have which are absent today, with the comments above them. */
  readonly others: ReadonlySet<number>
}

/** A difference from today's text to the former one. */
interface Difference {
  readonly start: number
  readonly before: string
  readonly after: string
  /** The former lines of the item to restore, if the difference has them. */
  readonly item: string
}

/**
 * Yields today's text with parts of a former text put back that only add to it: whole differences, the fewest
 * first, then those without other lost items, then the lines or words of the item alone.
 */
export function* withFormerParts(
  now: string,
  former: string,
  { item, others }: FormerLines,
): Generator<string> {
  const differences = differencesOf(now, former, { item, others: new Set() })
  yield* withRuns(now, differences.flatMap(additionsOf))
  if (others.size > 0) yield* withRuns(now, differencesOf(now, former, { item, others }).flatMap(additionsOf))
  for (const difference of differences) {
    if (difference.item !== '')
      for (const at of lineStartsOf(difference)) yield changedText(now, [inserted(at, difference.item)])
    for (const { start, text } of additionsOf(difference))
      for (const part of partsOf(text)) yield changedText(now, [inserted(start, part)])
  }
}

function* withRuns(now: string, changes: readonly TextChange[]): Generator<string> {
  const longest = changes.length > maxChangesInRuns ? 3 : changes.length
  for (let length = 1; length <= longest; length++)
    for (let first = 0; first + length <= changes.length; first++)
      yield changedText(now, changes.slice(first, first + length))
}

function differencesOf(now: string, former: string, { item, others }: FormerLines): Difference[] {
  const lines = splitLines(now)
  let formerLine = 0
  let line = 0
  return diffHunks(lines, splitLines(former)).flatMap((hunk) => {
    const first = formerLine + hunk.from - line
    line = hunk.to
    formerLine = first + hunk.lines.length
    const start = lines.slice(0, hunk.from).join('').length
    const before = lines.slice(hunk.from, hunk.to).join('')
    const linesIn = (isKept: (index: number) => boolean): string =>
      hunk.lines.filter((_, index) => isKept(first + index)).join('')
    const after = linesIn((index) => !others.has(index))
    return before === after ? [] : [{ start, before, after, item: linesIn((index) => item.has(index)) }]
  })
}

/** Returns a difference that only adds as it is; of any other, the words that it adds. */
function additionsOf({ start, before, after }: Difference): TextChange[] {
  const [words, formerWords] = [wordsOf(before), wordsOf(after)]
  if (isWithin(words, formerWords)) return [{ start, end: start + before.length, text: after }]
  return diffHunks(words, formerWords)
    .filter(({ from, to }: Hunk) => from === to)
    .map(({ from, lines }) => inserted(start + words.slice(0, from).join('').length, lines.join('')))
}

function lineStartsOf({ start, before }: Difference): number[] {
  let at = start
  return [start, ...splitLines(before).map((line) => (at += line.length))]
}

/** Returns the beginnings and the ends of an addition within a line, the shortest first. */
function partsOf(text: string): string[] {
  const words = wordsOf(text)
  if (text.includes('\n') || words.length > maxWordsTriedInParts) return []
  return words.flatMap((_, count) => [words.slice(0, count).join(''), words.slice(-count).join('')]).slice(2)
}

/** Splits a text into words, signs and spaces. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|[^\p{L}\p{N}_]/gu) ?? []
}

/** Reports whether all words occur in the other text, in this order. */
function isWithin(words: readonly string[], others: readonly string[]): boolean {
  let found = 0
  for (const other of others) if (other === words[found]) found++
  return found === words.length
}
