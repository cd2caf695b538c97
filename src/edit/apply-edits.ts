import { changedPaths, type Snapshot, withFiles } from '../snapshot/snapshot.js'
import { editConflict } from './edit-conflict.js'
import type { Edit } from './edit-types.js'
import { editText } from './text-edit.js'
import { editYaml } from './yaml-edit.js'

/** A file before and after a change; null if it does not exist. */
export interface FileChange {
  /** POSIX path relative to the project root. */
  readonly path: string
  readonly before: Uint8Array | null
  readonly after: Uint8Array | null
}

/**
 * Returns the snapshot with all edits applied, each to the result of the preceding ones. All or nothing: an
 * edit that does not match throws `edit_conflict`, which names the file and what was expected, and the given
 * snapshot stays unchanged.
 */
export function applyEdits(snapshot: Snapshot, edits: readonly Edit[]): Snapshot {
  return edits.reduce(
    (current, edit) => withFiles(current, new Map([[edit.path, editedBytes(current, edit)]])),
    snapshot,
  )
}

function editedBytes(snapshot: Snapshot, edit: Edit): Uint8Array {
  const bytes = snapshot.files.get(edit.path)
  if ('text' in edit) {
    if (bytes !== undefined && !isBlank(bytes))
      throw editConflict(edit.path, 'a new file was expected, but it exists', 'Edit the file instead.')
    return new TextEncoder().encode(edit.text)
  }
  if (bytes === undefined)
    throw editConflict(edit.path, 'the file to edit does not exist', 'Create it instead.')
  return edit.kind === 'edit_metric' ? editYaml(bytes, edit) : editText(bytes, edit)
}

/** Reports whether a file has no content that could be lost. */
export function isBlank(bytes: Uint8Array): boolean {
  return Buffer.from(bytes).toString('latin1').trim() === ''
}

/**
 * Returns the files that differ, with their bytes before and after, as the journal writes and reverts them
 * and the run database stores them.
 */
export function changesBetween(before: Snapshot, after: Snapshot): FileChange[] {
  return changedPaths(before, after).map((path) => ({
    path,
    before: before.files.get(path) ?? null,
    after: after.files.get(path) ?? null,
  }))
}

/** Returns the changes that turn `after` back into `before`, for `withFiles`: the files' former bytes. */
export function invertChanges(before: Snapshot, after: Snapshot): ReadonlyMap<string, Uint8Array | null> {
  return new Map(changesBetween(before, after).map((change) => [change.path, change.before]))
}
