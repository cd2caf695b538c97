import type { Alignment, ScopePair, TextReplacement } from './snippet-alignment.js'
import { isSameTerm, type Term } from './sql-term.js'
import { placeholderText, writeTerms } from './sql-writer.js'

/** A range of snippet terms [from, to) that becomes the expected terms [start, end). */
interface Run {
  readonly from: number
  readonly to: number
  readonly start: number
  readonly end: number
}

/**
 * Returns the changes that turn terms of the snippet into the expected ones, leaving common ones unchanged.
 * Nested queries at the same place are left to be compared separately. `before` is the term before the
 * expected ones.
 */
export function rewriteTerms(
  alignment: Alignment,
  place: ScopePair,
  snippet: readonly Term[],
  expected: readonly Term[],
  before?: Term,
): TextReplacement[] {
  const pairs = commonTerms(snippet, expected)
  recordNestedQueries(alignment, place, pairs, snippet, expected)
  const changes: TextReplacement[] = []
  let [from, start] = [0, 0]
  for (const [to, end] of [...pairs, [snippet.length, expected.length] as const]) {
    if (from < to || start < end) {
      const change = changeRun(alignment, place, snippet, expected, { from, to, start, end }, before)
      if (change !== undefined) changes.push(change)
    }
    from = to + 1
    start = end + 1
  }
  return changes
}

/** Records nested queries at the same place, and literals that should be placeholders. */
export function recordEqualTerms(
  alignment: Alignment,
  place: ScopePair,
  snippet: readonly Term[],
  expected: readonly Term[],
): void {
  const pairs = commonTerms(snippet, expected)
  recordNestedQueries(alignment, place, pairs, snippet, expected)
}

function recordNestedQueries(
  alignment: Alignment,
  place: ScopePair,
  pairs: readonly (readonly [number, number])[],
  snippet: readonly Term[],
  expected: readonly Term[],
): void {
  for (const [index, other] of pairs) {
    const [ours, theirs] = [snippet[index], expected[other]]
    if (ours === undefined || theirs === undefined) continue
    if (ours.query !== undefined && theirs.query !== undefined) {
      alignment.pending.push({
        snippet: ours.query,
        expected: theirs.query,
        snippetScope: place.snippet,
        expectedScope: place.expected,
      })
    }
    if (ours.kind !== 'placeholder' && ours.start >= 0 && theirs.placeholders.length > 0) {
      recordHardCodedValue(alignment, ours, theirs, snippet[index - 1])
    }
  }
}

/**
 * Records a value of the question that the author hard-coded: as no placeholder gives it elsewhere, it must
 * follow the question.
 */
function recordHardCodedValue(
  alignment: Alignment,
  ours: Term,
  theirs: Term,
  before: Term | undefined,
): void {
  const value = alignment.values.find((candidate) => theirs.placeholders.includes(candidate.placeholder))
  if (value === undefined || value.kind === 'expression') return
  const isUsed = alignment.used.has(value.placeholder)
  const isCounted = value.kind === 'number' && !(before?.kind === 'symbol' && /[<>=]/.test(before.key))
  const likely = !isUsed && !isCounted
  const choice = alignment.choose(`hard:${ours.start}`, 2, likely ? 1 : 2)
  if ((choice === 0) !== likely) return
  const text = placeholderText(value.placeholder)
  alignment.differences.push({
    clause: 'where',
    changes: [{ start: ours.start, end: ours.end, text }],
    description: `takes ${text} from the question instead of ${ours.text}`,
    title: `${ours.text} was hard-coded`,
    keep: true,
  })
}

/** Returns the longest common subsequence as index pairs in order. */
function commonTerms(snippet: readonly Term[], expected: readonly Term[]): [number, number][] {
  const width = expected.length + 1
  const lengths = new Uint16Array((snippet.length + 1) * width)
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0
  const same = (row: number, column: number): boolean => {
    const [ours, theirs] = [snippet[row], expected[column]]
    return ours !== undefined && theirs !== undefined && isSameTerm(ours, theirs)
  }
  for (let row = snippet.length - 1; row >= 0; row -= 1) {
    for (let column = expected.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] = same(row, column)
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const pairs: [number, number][] = []
  let [row, column] = [0, 0]
  while (row < snippet.length && column < expected.length) {
    if (same(row, column) && at(row, column) === at(row + 1, column + 1) + 1) pairs.push([row++, column++])
    else if (at(row + 1, column) >= at(row, column + 1)) row += 1
    else column += 1
  }
  return pairs
}

/** Returns the similarity of two ranges: 0 for nothing in common, 1 for equal. */
export function similarity(snippet: readonly Term[], expected: readonly Term[]): number {
  const total = snippet.length + expected.length
  return total === 0 ? 1 : (2 * commonTerms(snippet, expected).length) / total
}

function changeRun(
  alignment: Alignment,
  place: ScopePair,
  snippet: readonly Term[],
  expected: readonly Term[],
  run: Run,
  leading: Term | undefined,
): TextReplacement | undefined {
  const source = alignment.snippet.text
  const removed = snippet.slice(run.from, run.to)
  const added = expected.slice(run.start, run.end)
  const before = expected[run.start - 1] ?? leading
  const text = writeTerms(alignment, place, added, removed, before, expected[run.end])
  const left = run.start > 0 && expected[run.start]?.spaced === true ? ' ' : ''
  const right = run.end > run.start && expected[run.end]?.spaced === true ? ' ' : ''
  const first = removed[0]
  const last = removed.at(-1)
  const previous = snippet[run.from - 1]
  const next = snippet[run.to]
  if (first === undefined || last === undefined) {
    return insertion(source, previous, next, text, left, right)
  }
  if (added.length > 0) {
    // `o.revenue` and `revenue` compare equal, so a written name may equal the replaced text.
    if (source.slice(first.start, last.end) === text) return undefined
    const glue = previous?.end === first.start && /\w$/.test(source.slice(0, first.start)) ? left : ''
    return { start: first.start, end: last.end, text: glue + text }
  }
  return removal(source, previous, first, last, next, expected[run.end]?.spaced === true)
}

function insertion(
  source: string,
  previous: Term | undefined,
  next: Term | undefined,
  text: string,
  left: string,
  right: string,
): TextReplacement | undefined {
  if (previous === undefined) {
    return next && { start: next.start, end: next.start, text: text + right }
  }
  if (next === undefined) return { start: previous.end, end: previous.end, text: left + text }
  const gap = source.slice(previous.end, next.start)
  if (gap === '') return { start: next.start, end: next.start, text: left + text + right }
  if (left !== '' && right === '') return { start: next.start, end: next.start, text }
  return { start: previous.end, end: previous.end, text: left + text }
}

/** Removes a range and one of the gaps beside it, so that the rest is spaced as its author would. */
function removal(
  source: string,
  previous: Term | undefined,
  first: Term,
  last: Term,
  next: Term | undefined,
  spaced: boolean,
): TextReplacement {
  if (next === undefined) return { start: previous?.end ?? first.start, end: last.end, text: '' }
  if (previous === undefined) return { start: first.start, end: next.start, text: '' }
  const leftGap = source.slice(previous.end, first.start)
  const rightGap = source.slice(last.end, next.start)
  const keepLeft = spaced ? leftGap !== '' : leftGap === ''
  return keepLeft || leftGap === rightGap
    ? { start: first.start, end: next.start, text: '' }
    : { start: previous.end, end: last.end, text: '' }
}
