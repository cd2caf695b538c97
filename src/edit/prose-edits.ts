import type { Edit } from './edit-types.js'

/** Returns replacements of text as those of a note, which may be written in other places than queries. */
export function asProseEdits(edits: readonly Edit[]): Edit[] {
  return edits.map((edit) => ('search' in edit ? { ...edit, kind: 'edit_note' } : edit))
}
