import type { RepairCandidate } from '../../../../../repair/model/candidate.js'
import { readText, type Snapshot } from '../../../../../snapshot/snapshot.js'
import type { HistoryContext } from '../../model/knowledge-history.js'

/**
 * Reports whether the rules would write anew what git has: an emptied file is restored as its author wrote
 * it.
 */
export async function wasFileEmptied(
  { plans }: RepairCandidate,
  snapshot: Snapshot,
  { history }: Pick<HistoryContext, 'history'>,
): Promise<boolean> {
  const [edit, ...more] = plans[0]?.edits ?? []
  if (edit === undefined || !('text' in edit) || more.length > 0) return false
  const texts =
    readText(snapshot, edit.path) === undefined ? [] : ((await history?.versionsOf(edit.path)) ?? [])
  return texts.some(({ text }) => text.trim() !== '')
}
