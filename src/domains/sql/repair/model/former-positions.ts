import type { Edit } from '../../../../edit/edit-types.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { formatOf, type RepairContext } from './repair-context.js'
import { applyPlan } from './sql-repair-types.js'

/**
 * Returns the edits with their additions where, and as, former texts of the files had them.
 *
 * @param textsOf former texts of a file, newest first
 */
export function withFormerPositions(
  edits: readonly Edit[],
  textsOf: (path: string) => readonly string[],
  snapshot: Snapshot,
  context: RepairContext,
): Edit[] {
  const { slotEditOf, former } = formatOf(context)
  const placed: Edit[] = []
  for (const edit of edits) {
    const before = slotEditOf(edit) === undefined ? undefined : applyPlan({ edits: placed }, snapshot)
    const texts = before === undefined ? [] : textsOf(edit.path)
    placed.push(former.placedAsBefore(edit, placed.at(-1), texts, before ?? snapshot))
  }
  return placed
}
