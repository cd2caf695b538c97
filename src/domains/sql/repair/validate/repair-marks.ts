import type { Problem } from '../../../../repair/model/repair-domain.js'
import { changedPaths, type Snapshot } from '../../../../snapshot/snapshot.js'
import { formatOf, knowledgeBaseOf, type RepairContext } from '../model/repair-context.js'
import type { SqlTypes } from '../model/sql-repair-types.js'

/**
 * Returns the mark of a person that keeps repairs from one of the files that a plan changes. The mark of a metric
 * keeps its query, too.
 */
export function findRepairMark(
  snapshot: Snapshot,
  candidate: Snapshot,
  context: RepairContext,
): Problem<SqlTypes> | undefined {
  const { metrics, snippets } = knowledgeBaseOf(snapshot, context)
  for (const path of changedPaths(snapshot, candidate)) {
    const readers = metrics.filter(({ snippet }) => snippets.get(snippet)?.path === path)
    const marks = [path, ...readers.map((metric) => metric.path)].map((each) =>
      formatOf(context).repairMark(each, snapshot),
    )
    const mark = marks.find((each) => each !== undefined)
    if (mark !== undefined)
      return {
        reason: `${path} is not to be repaired: ${mark.path}:${mark.line} says "${mark.text}"`,
        isDecision: true,
      }
  }
  return undefined
}
