import { diffHunks, type Hunk } from '../../../../../edit/line-edits.js'
import type { SqlToken } from '../../../../../sql/index.js'
import { tokenKey } from '../../model/question-values.js'
import { parseClauses } from '../../model/sql-clauses.js'
import { countReads } from './inline-views.js'
import { abbreviateSql, type Difference, type TextReplacement } from './snippet-alignment.js'
import { indentAt, lineEndAfter } from './sql-formatting-style.js'
import type { TokenizedQuery } from './term-reader.js'

/** Below this share of common words, the rest of a text does not show what its author meant. */
const minCommonShare = 0.6

/**
 * Returns the word-by-word differences with which a text that cannot be parsed, or lacks a CTE or FROM,
 * becomes the expected query in its layout; none if the two have little in common.
 *
 * @param expected with placeholders for the question's values
 */
export function tokenDifferences(snippet: TokenizedQuery, expected: TokenizedQuery): Difference[] {
  const [ours, theirs] = [snippet.tokens.map(tokenKey), expected.tokens.map(tokenKey)]
  const hunks = singleHunk(ours, theirs) ?? diffHunks(ours, theirs)
  const apart = hunks.reduce((sum, { from, to, lines }) => sum + to - from + lines.length, 0)
  if (apart > (1 - minCommonShare) * (ours.length + theirs.length)) return []
  let shift = 0
  return hunks.map(({ from, to, lines }) => {
    const start = from + shift
    shift += lines.length - (to - from)
    return toDifference(
      snippet,
      changeOf(snippet, expected, { from, to }, { from: start, to: start + lines.length }),
    )
  })
}

/**
 * Returns the hunk of words that were only added or only removed, all in one place: equal words may be added
 * at another.
 */
function singleHunk(before: readonly string[], after: readonly string[]): Hunk[] | undefined {
  let from = 0
  while (from < before.length && before[from] === after[from]) from++
  let [to, end] = [before.length, after.length]
  while (to > from && end > from && before[to - 1] === after[end - 1]) [to, end] = [to - 1, end - 1]
  return to === from || end === from ? [{ from, to, lines: after.slice(from, end) }] : undefined
}

interface TokenSpan {
  readonly from: number
  readonly to: number
}

function changeOf(
  snippet: TokenizedQuery,
  expected: TokenizedQuery,
  ours: TokenSpan,
  theirs: TokenSpan,
): TextReplacement {
  const [first, last] = [snippet.tokens[ours.from], snippet.tokens[ours.to - 1]]
  const text = expected.text.slice(
    expected.tokens[theirs.from]?.start ?? 0,
    expected.tokens[theirs.to - 1]?.end ?? 0,
  )
  if (theirs.from === theirs.to) {
    const gap = gapBefore(snippet, ours.from)
    const start = (first?.start ?? 0) - (/\S/.test(gap) ? 0 : gap.length)
    return { start, end: last?.end ?? start, text: '' }
  }
  if (ours.from < ours.to && first !== undefined && last !== undefined)
    return { start: first.start, end: last.end, text }
  const [before, after] = [gapBefore(expected, theirs.from), gapBefore(expected, theirs.to)]
  const previous = snippet.tokens[ours.from - 1]
  if (previous === undefined) {
    const start = snippet.tokens[0]?.start ?? 0
    const at = after.includes('\n') ? start - indentAt(snippet.text, start).length : start
    return { start: at, end: at, text: text + after.replace(/(?<=\n)[^\S\n]+$/, '') }
  }
  const gap = gapBefore(snippet, ours.from)
  const isOnLineOfNext = gap.includes('\n') && !after.includes('\n')
  if (first !== undefined && isOnLineOfNext)
    return { start: first.start, end: first.start, text: text + after }
  const lineEnd = before.includes('\n') ? lineEndAfter(snippet.text, previous.end) : undefined
  const at = lineEnd ?? previous.end
  return { start: at, end: at, text: before + text + (gap === '' && first !== undefined ? after : '') }
}

/** Returns the text between a token and the preceding one. */
function gapBefore({ text, tokens }: TokenizedQuery, index: number): string {
  const end = tokens[index - 1]?.end ?? 0
  return text.slice(end, tokens[index]?.start ?? end)
}

function toDifference(snippet: TokenizedQuery, change: TextReplacement): Difference {
  const before = abbreviateSql(snippet.text.slice(change.start, change.end))
  const after = abbreviateSql(change.text)
  const difference = { clause: 'select' as const, changes: [change], keep: false }
  if (before === '') return { ...difference, description: `adds ${after}`, title: `${after} was missing` }
  if (after === '') return { ...difference, description: `drops ${before}`, title: `${before} was extra` }
  return {
    ...difference,
    description: `has ${after} instead of ${before}`,
    title: `${before} should be ${after}`,
  }
}

/**
 * Reports whether the snippet reads a CTE that only the expected query defines, or no table where the
 * expected query reads one.
 */
export function isIncomplete(snippet: readonly SqlToken[], expected: readonly SqlToken[]): boolean {
  const [ours, theirs] = [parseClauses(snippet), parseClauses(expected)]
  if (ours === undefined || theirs === undefined) return false
  const lacksTable = ours.arms.some(
    ({ sources }, index) => sources.length === 0 && theirs.arms[index]?.sources.length !== 0,
  )
  const known = new Set(ours.ctes.map(({ name }) => name))
  return lacksTable || theirs.ctes.some(({ name }) => !known.has(name) && countReads(snippet, name) > 0)
}
