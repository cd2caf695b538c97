import { diffArrays } from 'diff'
import type { PreviousVersion } from '../../model/knowledge-history.js'

/** A change of a file that a plan takes back, whole or in part. */
export interface UndoneChange {
  /** `commit 1a2b3c4`, or `an uncommitted change`. */
  readonly by: string
  /** Text of the file before and after it; empty if there was no file. */
  readonly before: string
  readonly after: string
}

/** Tokens `start` to `end` of one text that the tokens `text` replace in the other. */
interface Replacement {
  readonly start: number
  readonly end: number
  readonly text: readonly string[]
}

/**
 * Returns the changes that a plan takes back, newest first. Each place that the plan edits is followed back
 * through the versions to the newest change that wrote what the plan removes there, or removed what it writes,
 * there or elsewhere; what was done to that place before has been decided again since.
 *
 * @param tokens the words and signs of a text, without comments and layout
 */
export function undoneChanges(
  today: string,
  planned: string,
  versions: readonly PreviousVersion[],
  tokens: (text: string) => readonly string[],
): UndoneChange[] {
  const found: UndoneChange[] = []
  let after = today
  let open = replacements(tokens(today), tokens(planned))
  for (const { text: before, by, isDeletion } of versions) {
    if (open.length === 0) break
    if (isDeletion === true) after = ''
    const [had, has] = [tokens(before), tokens(after)]
    const change = replacements(had, has)
    const isUndoneBy = (edit: Replacement): boolean =>
      change.some((part, at) => isReverse(edit, part, change.slice(0, at), had, has))
    if (open.some(isUndoneBy)) found.push({ by, before, after })
    open = open.filter((edit) => !isUndoneBy(edit)).map((edit) => movedBack(edit, change))
    after = before
  }
  return found
}

function replacements(from: readonly string[], to: readonly string[]): Replacement[] {
  const parts: Replacement[] = []
  let at = 0
  let isOpen = false
  for (const { added, removed, value } of diffArrays([...from], [...to])) {
    if (!added && !removed) {
      at += value.length
      isOpen = false
      continue
    }
    const last = isOpen ? parts.pop() : undefined
    const part = last ?? { start: at, end: at, text: [] }
    if (removed) at += value.length
    parts.push({ start: part.start, end: at, text: added ? [...part.text, ...value] : part.text })
    isOpen = true
  }
  return parts
}

/** Reports whether an edit of today's tokens takes back, at its place, what one part of a change did. */
function isReverse(
  edit: Replacement,
  part: Replacement,
  earlier: readonly Replacement[],
  had: readonly string[],
  has: readonly string[],
): boolean {
  const start = part.start + growth(earlier)
  const end = start + part.text.length
  const removed = had.slice(part.start, part.end)
  // The order of conditions and of items in a list has no meaning: what was removed may come back elsewhere.
  if (removed.some(isWord) && edit.text.some(isWord)) {
    const [back, gone] = [telling(edit.text), telling(removed)]
    if (gone.includes(back) || back.includes(gone)) return true
  }
  if (edit.start > end || start > edit.end) return false
  const overwritten = has.slice(Math.max(edit.start, start), Math.min(edit.end, end))
  return (
    overwritten.some(isTelling) ||
    removed.some((token) => isTelling(token) && edit.text.includes(token)) ||
    (removed.length > 0 && removed.join(' ') === edit.text.join(' '))
  )
}

/** Commas and brackets come and go with what they separate. */
function isTelling(token: string): boolean {
  return !/^[,()[\]{};:.]$/u.test(token)
}

function isWord(token: string): boolean {
  return /[\p{L}\p{N}]/u.test(token) && !/^(?:and|or|where)$/iu.test(token)
}

/** Returns what a text says, without what only joins it to what is around. */
function telling(tokens: readonly string[]): string {
  const said = tokens.filter(isTelling)
  const [first = ''] = said
  return ` ${(/^(?:and|or|where)$/iu.test(first) ? said.slice(1) : said).join(' ')} `
}

function growth(parts: readonly Replacement[]): number {
  return parts.reduce((sum, { start, end, text }) => sum + text.length - (end - start), 0)
}

/** Returns the edit with its place in the text before a change. */
function movedBack(edit: Replacement, change: readonly Replacement[]): Replacement {
  const before = (at: number): number => {
    let shift = 0
    for (const part of change) {
      const start = part.start + shift
      if (at <= start) break
      if (at < start + part.text.length) return part.start
      shift += part.text.length - (part.end - part.start)
    }
    return at - shift
  }
  return { ...edit, start: before(edit.start), end: before(edit.end) }
}
