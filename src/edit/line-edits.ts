import { diffArrays } from 'diff'
import { splitLines } from '../snapshot/line-endings.js'
import type { CreateEdit, TextEdit } from './edit-types.js'

/** Lines [from, to) of the old text that become `lines`; extended by unchanged lines until unique. */
interface EditWindow {
  from: number
  to: number
  readonly hunks: Hunk[]
}

/** Items [from, to) of the old sequence that become `lines`. */
export interface Hunk {
  readonly from: number
  readonly to: number
  readonly lines: readonly string[]
}

/**
 * Returns the smallest search/replace edits by whole lines that turn `before` into `after`, in file order.
 * Each search text occurs exactly once in `before` and, applied in order, in the result of the preceding
 * edits. Empty if nothing changes. A blank text has nothing to search for: it is written like a new file.
 */
export function textEdits(path: string, before: string, after: string): (TextEdit | CreateEdit)[] {
  if (before.trim() === '' && after !== before) return [{ kind: 'create_snippet', path, text: after }]
  const lines = splitLines(before)
  let windows: EditWindow[] = diffHunks(lines, splitLines(after)).map((hunk) => ({
    from: hunk.from,
    to: hunk.to,
    hunks: [hunk],
  }))
  for (;;) {
    const edits = windows.map((window) => editOf(path, lines, window))
    const ambiguous = firstAmbiguousEdit(before, edits)
    const window = windows[ambiguous]
    if (window === undefined) return edits
    growWindow(window, lines.length)
    windows = mergeWindows(windows)
  }
}

/** Returns the differences between two sequences of texts, in order; no two hunks are adjacent. */
export function diffHunks(before: readonly string[], after: readonly string[]): Hunk[] {
  const hunks: Hunk[] = []
  let line = 0
  let open: { from: number; to: number; lines: string[] } | undefined
  for (const part of diffArrays([...before], [...after])) {
    if (!part.added && !part.removed) {
      if (open !== undefined) hunks.push(open)
      open = undefined
      line += part.value.length
      continue
    }
    open ??= { from: line, to: line, lines: [] }
    if (part.added) {
      open.lines.push(...part.value)
    } else {
      line += part.value.length
      open.to = line
    }
  }
  if (open !== undefined) hunks.push(open)
  return hunks
}

/** Returns the items with these hunks applied, which must be in order. */
export function applyHunks(before: readonly string[], hunks: readonly Hunk[]): string[] {
  let at = 0
  const items: string[] = []
  for (const { from, to, lines } of hunks) {
    items.push(...before.slice(at, from), ...lines)
    at = Math.max(at, to)
  }
  return [...items, ...before.slice(at)]
}

function editOf(path: string, lines: readonly string[], window: EditWindow): TextEdit {
  const replacement: string[] = []
  let line = window.from
  for (const hunk of window.hunks) {
    replacement.push(...lines.slice(line, hunk.from), ...hunk.lines)
    line = hunk.to
  }
  replacement.push(...lines.slice(line, window.to))
  const search = lines.slice(window.from, window.to).join('')
  return { kind: 'edit_snippet', path, search, replace: replacement.join('') }
}

/** Returns the index of the first edit that does not have exactly one match, or -1. */
function firstAmbiguousEdit(before: string, edits: readonly TextEdit[]): number {
  let text = before
  for (const [index, edit] of edits.entries()) {
    if (!isUnique(before, edit.search) || !isUnique(text, edit.search)) return index
    text = text.replace(edit.search, () => edit.replace)
  }
  return -1
}

function isUnique(text: string, search: string): boolean {
  if (search === '') return false
  const first = text.indexOf(search)
  return first !== -1 && text.indexOf(search, first + 1) === -1
}

/** Extends a window by one line: first above, where readers look for context, then below. */
function growWindow(window: EditWindow, lineCount: number): void {
  const [first] = window.hunks
  const last = window.hunks.at(-1)
  const above = (first?.from ?? 0) - window.from
  const below = window.to - (last?.to ?? 0)
  if (window.from > 0 && (above <= below || window.to === lineCount)) window.from -= 1
  else window.to = Math.min(window.to + 1, lineCount)
}

function mergeWindows(windows: readonly EditWindow[]): EditWindow[] {
  const merged: EditWindow[] = []
  for (const window of windows) {
    const previous = merged.at(-1)
    if (previous !== undefined && previous.to > window.from) {
      previous.to = Math.max(previous.to, window.to)
      previous.hunks.push(...window.hunks)
    } else {
      merged.push(window)
    }
  }
  return merged
}
