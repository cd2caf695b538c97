import { checkPath } from '../../edit/allowed-path.js'
import type { Edit } from '../../edit/edit-types.js'

const yaml = { folder: 'metrics', extensions: ['.yaml', '.yml'] }
const sql = { folder: 'snippets', extensions: ['.sql'] }

/** Where each kind of edit may write: editing a metric as text would bypass the checks of its words. */
const allowedLocations: Readonly<
  Record<Edit['kind'], { readonly folder: string; readonly extensions: readonly string[] }>
> = {
  edit_snippet: sql,
  create_snippet: sql,
  edit_metric: yaml,
  create_metric: yaml,
  edit_note: { folder: 'notes', extensions: ['.md'] },
  edit_tool: { folder: 'tools', extensions: ['.pym'] },
}

/** Throws `path_refused` if an edit writes to a place where it must not. */
export function checkPlace(edit: Edit, root: string): void {
  const { folder, extensions } = allowedLocations[edit.kind]
  checkPath(edit.path, [`${root}/${folder}`], extensions)
}

/** Returns the ids of the entry that an edit changes; for a file, every id that its path may have. */
export function entriesEditedBy(edit: Edit): readonly string[] {
  return edit.kind === 'edit_metric' ? [edit.entry] : idsOf(edit.path)
}

/**
 * Returns `snippet:b.sql`, `snippet:a/b.sql` … for `kb/snippets/a/b.sql`, and the same for notes and metrics.
 */
function idsOf(path: string): string[] {
  const parts = path.split('/')
  const names = parts.map((_, at) => parts.slice(at).join('/'))
  return names.flatMap((name) => ['snippet', 'note', 'metric'].map((kind) => `${kind}:${name}`))
}
