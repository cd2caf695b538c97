import { parsePatch } from 'diff'
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
