import type { Clause, ClauseKind } from '../../model/sql-clauses.js'
import { isDisjunction, outermostGroup, type TokenRange } from '../../model/token-ranges.js'
import type { TextReplacement } from './snippet-alignment.js'
import { formatKeyword, indentAt, isAtLineStart, lineEndAfter, type Style } from './sql-formatting-style.js'
import type { TokenizedQuery } from './term-reader.js'

/** Returns the UTF-16 offsets of a token range. */
export function offsetsOf(side: TokenizedQuery, range: TokenRange): { start: number; end: number } {
  const start = side.tokens[range.from]?.start ?? 0
  return { start, end: side.tokens[range.to - 1]?.end ?? start }
}

export function textOf(side: TokenizedQuery, range: TokenRange): string {
  const { start, end } = offsetsOf(side, range)
  return side.text.slice(start, end)
}

/**
 * Adds a conjunct after item `anchor` (-1: before the first), on its own line if the author writes them so.
 */
export function insertConjunct(
  side: TokenizedQuery,
  clause: Clause,
  anchor: number,
  sql: string,
  style: Style,
): TextReplacement[] {
  const and = formatKeyword(style, 'AND')
  const items = clause.items.map((item) => offsetsOf(side, outermostGroup(side.tokens, clause.body, item)))
  const ands = clause.items.map((item) => side.tokens[item.from - 1]?.start ?? 0)
  const leading = items.findIndex((_, index) => index > 0 && isAtLineStart(side.text, ands[index] ?? 0))
  const trailing = items.findIndex((item, index) => index > 0 && isAtLineStart(side.text, item.start))
  const brackets = parenthesizeDisjunction(side, clause)
  const indent = leading > 0 ? indentAt(side.text, ands[leading] ?? 0) : secondConjunctIndent(side, clause)
  const at = items[Math.max(anchor, 0)]
  const next = items[anchor + 1]
  if (at === undefined) return []
  if (trailing > 0 && next !== undefined && isAtLineStart(side.text, next.start)) {
    const own = `${sql} ${and}${style.lineBreak}${indentAt(side.text, next.start)}`
    return [{ start: next.start, end: next.start, text: own }]
  }
  if (trailing > 0 && next === undefined) {
    const own = ` ${and}${style.lineBreak}${indentAt(side.text, at.start)}${sql}`
    return [{ start: at.end, end: at.end, text: own }]
  }
  if (indent !== undefined) {
    const last = Math.max(anchor, 0) === items.length - 1
    const end = lineEndAfter(side.text, at.end) ?? (last ? at.end : undefined)
    if (end !== undefined) {
      return [...brackets, { start: end, end, text: `${style.lineBreak}${indent}${and} ${sql}` }]
    }
  }
  return anchor < 0
    ? [{ start: at.start, end: at.start, text: `${sql} ${and} ` }, ...brackets]
    : [...brackets, { start: at.end, end: at.end, text: ` ${and} ${sql}` }]
}

/**
 * Returns the indent for a second conjunct where there is only one: an author who breaks lines at clauses
 * would break here, too.
 */
function secondConjunctIndent(side: TokenizedQuery, clause: Clause): string | undefined {
  const { start, end } = offsetsOf(side, clause.range)
  const ownLines = clause.kind !== 'on' && clause.items.length === 1 && isAtLineStart(side.text, start)
  if (!ownLines || lineEndAfter(side.text, end) === undefined || !/[\r\n]/.test(side.text.slice(0, start))) {
    return undefined
  }
  return `${indentAt(side.text, start)}  `
}

/** Makes `a OR b` into `(a OR b)` before an AND joins it. */
function parenthesizeDisjunction(side: TokenizedQuery, clause: Clause): TextReplacement[] {
  const [only] = clause.items
  if (only === undefined || clause.items.length > 1 || !isDisjunction(side.tokens, only)) return []
  const { start, end } = offsetsOf(side, only)
  return [
    { start, end: start, text: '(' },
    { start: end, end, text: ')' },
  ]
}

/** Adds a list member after item `anchor` (-1: before the first). */
export function insertListItem(
  side: TokenizedQuery,
  clause: Clause,
  anchor: number,
  sql: string,
  style: Style,
): TextReplacement[] {
  const items = clause.items.map((item) => offsetsOf(side, item))
  const sample = items.findIndex((item) => isAtLineStart(side.text, item.start))
  const lead = sample >= 0 ? `${style.lineBreak}${indentAt(side.text, items[sample]?.start ?? 0)}` : ' '
  const next = items[anchor + 1]
  if (next !== undefined && (anchor < 0 || sample >= 0)) {
    return [{ start: next.start, end: next.start, text: `${sql},${lead}` }]
  }
  const at = items[anchor]
  if (at === undefined) return []
  const end = sample >= 0 ? lineEndAfter(side.text, at.end) : undefined
  if (end === undefined || end === at.end) return [{ start: at.end, end: at.end, text: `,${lead}${sql}` }]
  return [
    { start: at.end, end: at.end, text: ',' },
    { start: end, end, text: `${lead}${sql}` },
  ]
}

/** Removes item `index` with its separator, and with its lines if it has lines of its own. */
export function removeListItem(
  side: TokenizedQuery,
  clause: Clause,
  index: number,
  removed: ReadonlySet<number>,
): TextReplacement[] {
  const items = clause.items.map((item) => offsetsOf(side, item))
  const at = items[index]
  if (at === undefined) return []
  const isList = clause.kind === 'select' || clause.kind === 'group' || clause.kind === 'order'
  const later = items.slice(index + 1).some((_, offset) => !removed.has(index + 1 + offset))
  const earlier = items.slice(0, index).some((_, position) => !removed.has(position))
  const next = items[index + 1]
  const previous = items[index - 1]
  if (next !== undefined && later && (isList || !earlier)) {
    return hasSingleSeparator(side, clause, index) ? [{ start: at.start, end: next.start, text: '' }] : []
  }
  if (previous === undefined || !hasSingleSeparator(side, clause, index - 1)) return []
  const separator = side.tokens[(clause.items[index]?.from ?? 0) - 1]?.start ?? at.start
  const follows = next !== undefined && !removed.has(index + 1) && hasSingleSeparator(side, clause, index)
  // The next item on its line takes its place after the AND.
  if (follows && isAtLineStart(side.text, separator) && !/[\r\n]/.test(side.text.slice(at.end, next.start)))
    return [{ start: at.start, end: next.start, text: '' }]
  if (isList || !isAtLineStart(side.text, separator)) return [{ start: previous.end, end: at.end, text: '' }]
  return [removeWholeLines(side, previous.end, at.end)]
}

/** Reports whether only a comma or AND separates item `index` from the next, so that no bracket is split. */
function hasSingleSeparator(side: TokenizedQuery, clause: Clause, index: number): boolean {
  return (clause.items[index + 1]?.from ?? 0) - (clause.items[index]?.to ?? 0) === 1 && side.tokens.length > 0
}

/**
 * Removes from the end of one line to the end of another: the comment at the end of the first stays, that of
 * the second is removed.
 */
function removeWholeLines(side: TokenizedQuery, after: number, end: number): TextReplacement {
  return {
    start: lineEndAfter(side.text, after) ?? after,
    end: lineEndAfter(side.text, end) ?? end,
    text: '',
  }
}

const clauseOrder: readonly ClauseKind[] = [
  'select',
  'from',
  'where',
  'group',
  'having',
  'qualify',
  'window',
  'order',
  'limit',
  'offset',
  'fetch',
]

/**
 * Adds a clause, keyword included, after those that precede it in SQL; its parts are on lines of their own if
 * those of other clauses are.
 */
export function insertClause(
  side: TokenizedQuery,
  clauses: readonly Clause[],
  kind: ClauseKind,
  parts: readonly string[],
  style: Style,
): TextReplacement[] {
  const before = clauseOrder.slice(0, clauseOrder.indexOf(kind))
  const previous = clauses.filter((clause) => before.includes(clause.kind)).at(-1)
  if (previous === undefined) return []
  const { start, end } = offsetsOf(side, previous.range)
  const ownLines =
    clauses.length > 1 &&
    clauses.slice(1).every((clause) => isAtLineStart(side.text, offsetsOf(side, clause.range).start))
  if (!ownLines) return [{ start: end, end, text: ` ${parts.join(' ')}` }]
  const at = lineEndAfter(side.text, end) ?? end
  const line = `${style.lineBreak}${indentAt(side.text, start)}`
  return [{ start: at, end: at, text: line + parts.join(`${line}  `) }]
}

/** Removes a clause with its keywords and the line it starts. */
export function removeClause(side: TokenizedQuery, clause: Clause): TextReplacement[] {
  const { start, end } = offsetsOf(side, clause.range)
  const after = side.tokens[clause.range.from - 1]?.end ?? start
  return [
    isAtLineStart(side.text, start) ? removeWholeLines(side, after, end) : { start: after, end, text: '' },
  ]
}
