import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { queriesChangedBy } from '../model/changed-queries.js'
import { expectedSqlFor, type RepairContext, tokensOf } from '../model/repair-context.js'
import type { RepairPlan } from '../model/sql-repair-types.js'

const maxLengthRatio = 2
/** Words and signs by which a short query may grow. */
const lengthAllowance = 50

/**
 * Reports snippets several times as long as before and as expected: nobody reads them, and no check can
 * analyse them.
 */
export function findOverlongSnippets(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: RepairContext,
): string[] {
  const lengthOf = (sql: string | undefined): number =>
    tokensOf(sql ?? '', context.dialect, context.parser).length
  const expected = plan.cases.map((testCase) => lengthOf(expectedSqlFor(testCase, context)))
  return queriesChangedBy(plan, snapshot, candidate, context).flatMap(({ path, before, after }) => {
    const [old, now] = [lengthOf(before?.text), lengthOf(after?.text)]
    const most = maxLengthRatio * (old + Math.max(0, ...expected)) + lengthAllowance
    return now > most
      ? [`${path}: it would have ${now} tokens, where ${most} are enough for the expected query`]
      : []
  })
}
