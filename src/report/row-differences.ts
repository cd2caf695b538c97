import stringWidth from 'fast-string-width'
import type { RowComparison, RowDifference } from '../compare/model/sql-score.js'
import type { Value } from '../engine/contract/engine.js'
import { oneLine } from './format-text.js'

/** `-` is a row of the expected result, `+` one of the agent's; the header has no sign. */
export interface RowLine {
  readonly sign: ' ' | '-' | '+'
  /** Cells in aligned columns. */
  readonly text: string
}

interface SignedRow {
  readonly sign: '-' | '+'
  readonly cells: readonly string[]
  /** Columns to show first; empty if the whole row is missing or extra. */
  readonly changed: readonly number[]
}

const gap = '   '
const cellWidth = 40

/**
 * Renders differing rows as a small table with a header, at most `width` columns wide if possible: changed
 * columns and the first are kept, others are omitted. No lines if no rows differ by value.
 */
export function rowLines(
  comparison: RowComparison,
  limits: { readonly width: number; readonly rows: number },
): RowLine[] {
  const rows = comparison.differences.flatMap(signedRows).slice(0, limits.rows * 2)
  if (rows.length === 0) return []
  const names = comparison.columns.map((name) => cut(oneLine(name)))
  const count = Math.max(names.length, ...rows.map((row) => row.cells.length))
  const widths = Array.from({ length: count }, (_, at) =>
    Math.max(stringWidth(names[at] ?? ''), ...rows.map((row) => stringWidth(row.cells[at] ?? ''))),
  )
  const shown = shownColumns(widths, rows, limits.width)
  const line = (cells: readonly string[]): string =>
    shown
      .map((at) => padEnd(cells[at] ?? '', widths[at] ?? 0))
      .join(gap)
      .trimEnd()
  const hidden = count - shown.length
  return [
    { sign: ' ', text: line(names) + (hidden > 0 ? `${gap}… ${hidden} more` : '') },
    ...rows.map((row) => ({ sign: row.sign, text: line(row.cells) })),
  ]
}

/** Pads a text with spaces to a width in terminal columns. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)))
}

/** Returns a cell as shown to people. */
export function cellText(value: Value): string {
  if (value === null) return 'NULL'
  return typeof value === 'object' ? value.text : String(value)
}

function signedRows(difference: RowDifference): SignedRow[] {
  switch (difference.kind) {
    case 'columns':
    case 'order':
      return []
    case 'missing':
      return [{ sign: '-', cells: difference.row.map(shortCell), changed: [] }]
    case 'extra':
      return [{ sign: '+', cells: difference.row.map(shortCell), changed: [] }]
    case 'changed': {
      const pairs = difference.expected.map((expected, at) =>
        difference.cells.includes(at)
          ? distinguishCells(expected, difference.actual[at] ?? null)
          : ([shortCell(expected), shortCell(difference.actual[at] ?? null)] as const),
      )
      return [
        { sign: '-', cells: pairs.map(([expected]) => expected), changed: difference.cells },
        { sign: '+', cells: pairs.map(([, actual]) => actual), changed: difference.cells },
      ]
    }
  }
}

/**
 * Returns two different cells that would look alike with their types, or from the position where they differ.
 */
function distinguishCells(expected: Value, actual: Value): readonly [string, string] {
  const plain = [shortCell(expected), shortCell(actual)] as const
  if (plain[0] !== plain[1]) return plain
  const typed = [typedText(expected), typedText(actual)] as const
  let at = 0
  while (at < typed[0].length && typed[0][at] === typed[1][at]) at++
  const from = typed[0].length > cellWidth || typed[1].length > cellWidth ? Math.max(0, at - 10) : 0
  const lead = from > 0 ? '…' : ''
  return [cut(lead + typed[0].slice(from)), cut(lead + typed[1].slice(from))]
}

function typedText(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value)
  // Beside a quoted text, or a value with its type, numbers need no mark.
  if (typeof value !== 'object' || value === null) return cellText(value)
  return `${oneLine(value.text)} (${value.kind === 'other' ? value.type : value.kind})`
}

function shortCell(value: Value): string {
  return cut(oneLine(cellText(value)))
}

function cut(text: string): string {
  return text.length > cellWidth ? `${[...text].slice(0, cellWidth - 1).join('')}…` : text
}

function shownColumns(widths: readonly number[], rows: readonly SignedRow[], width: number): number[] {
  const changed = new Set(rows.flatMap((row) => row.changed))
  const wanted = [...new Set([...changed, 0, ...widths.keys()])].filter((at) => at < widths.length)
  const room = width - gap.length - '… 99 more'.length
  const all = widths.reduce((sum, one) => sum + one + gap.length, -gap.length)
  if (all <= width) return [...widths.keys()]
  const shown: number[] = []
  let used = 0
  for (const at of wanted) {
    const next = used + (widths[at] ?? 0) + gap.length
    if (shown.length > 0 && next > room) break
    shown.push(at)
    used = next
  }
  return shown.sort((a, b) => a - b)
}
