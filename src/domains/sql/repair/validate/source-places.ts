import { checkPath, entryExtensions } from '../../../../edit/allowed-path.js'
import type { Edit } from '../../../../edit/edit-types.js'
import { formatOf, type RepairContext } from '../model/repair-context.js'

/** Throws `path_refused` if an edit writes to a place where it must not: texts of other formats only where the configuration names them. */
export function checkPlaceOf(edit: Edit, context: RepairContext): void {
  const { sources = [] } = context
  const named = sources.map(({ path }) => ({ path, isNamed: true as const }))
  const isInSource =
    'search' in edit &&
    sources.some(({ path }) => path === '.' || edit.path === path || edit.path.startsWith(`${path}/`))
  if (isInSource) checkPath(edit.path, named, entryExtensions)
  else formatOf(context).checkPlace(edit, context.kbFolder)
}
