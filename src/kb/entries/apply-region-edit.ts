import { createHash } from 'node:crypto'
import { editConflict } from '../../edit/edit-conflict.js'
import { readText, type Snapshot, withFiles } from '../../snapshot/snapshot.js'
import type { Span } from './entry-format.js'

/** Replaces a part of a file that has not changed since it was read. */
export interface RegionEdit {
  readonly path: string
  /** UTF-16 offsets into the file's text. */
  readonly span: Span
  /** SHA-256 of the file's present text, in hex: any other change would move the span. */
  readonly expectedHash: string
  readonly bytes: Uint8Array
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Applies edits of disjoint spans. Throws `edit_conflict` if one of them is about another text than the file has. */
export function applyRegionEdits(snapshot: Snapshot, edits: readonly RegionEdit[]): Snapshot {
  const changes = new Map<string, Uint8Array>()
  for (const path of new Set(edits.map((edit) => edit.path))) {
    const text = readText(snapshot, path)
    if (text === undefined) throw editConflict(path, 'the file to edit does not exist')
    const own = edits.filter((edit) => edit.path === path).toSorted((a, b) => b.span.start - a.span.start)
    let result = text
    const hash = hashOf(text)
    let next = text.length
    for (const { span, expectedHash, bytes } of own) {
      if (hash !== expectedHash)
        throw editConflict(path, 'the file has changed since it was read', 'Read it again.')
      if (span.end > next) throw editConflict(path, 'two edits overlap')
      next = span.start
      result = result.slice(0, span.start) + new TextDecoder().decode(bytes) + result.slice(span.end)
    }
    changes.set(path, new TextEncoder().encode(result))
  }
  return withFiles(snapshot, changes)
}
