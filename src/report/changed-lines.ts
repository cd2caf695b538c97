import { parsePatch } from 'diff'
import stringWidth from 'fast-string-width'
import { sanitizeLine } from './format-text.js'

/** Neighbouring lines of a file that an edit replaces. */
export interface ChangedLines {
  /** Number of the first line in the file before the edit, from 1. */
  readonly line: number
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

/** Returns the changed lines of a unified diff, without context and control characters. */
export function changedLines(unifiedDiff: string): ChangedLines[] {
  const changes: ChangedLines[] = []
  for (const hunk of parsePatch(unifiedDiff).flatMap((file) => file.hunks)) {
    let line = hunk.oldStart
    let change: { line: number; removed: string[]; added: string[] } | undefined
    for (const text of hunk.lines) {
      const sign = text[0]
      if (sign === '-' || sign === '+') {
        if (change === undefined) {
          change = { line, removed: [], added: [] }
          changes.push(change)
        }
        if (sign === '-') change.removed.push(sanitizeLine(text.slice(1)))
        else change.added.push(sanitizeLine(text.slice(1)))
      } else if (sign !== '\\') change = undefined
      if (sign === '-' || sign === ' ') line++
    }
  }
  return changes
}

/** How much of the common beginning of two lines stays in sight, in characters. */
const charactersBefore = 24

/**
 * Shortens two lines, if one is wider than `width` columns, so that where they begin to differ and where they
 * end to do so is in sight, as far as there is room.
 */
export function aroundChange(before: string, after: string, width: number): [string, string] {
  if (stringWidth(before) <= width && stringWidth(after) <= width) return [before, after]
  const shortest = Math.min(before.length, after.length)
  let start = 0
  while (start < shortest && before[start] === after[start]) start++
  let end = 0
  while (end < shortest - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  const changed = Math.max(before.length, after.length) - end
  const from = changed < width ? 0 : Math.max(0, start - Math.min(charactersBefore, Math.floor(width / 3)))
  const shown = (line: string): string => {
    const rest = from === 0 ? line : `…${line.slice(from)}`
    const gone = line.length - end - start
    // A change wider than the screen: its beginning and its end.
    const room = width - (start - from) - 1
    if (gone <= room || room < 16) return rest
    const head = Math.floor(room * 0.6)
    const tail = line.slice(start + gone - (room - head - 1), start + gone)
    return `${from === 0 ? '' : '…'}${line.slice(from, start + head)}…${tail}`
  }
  return [shown(before), shown(after)]
}
