import type { SqlCase } from '../../../../benchmark/case.js'
import type { SqlEvaluation } from '../model/sql-repair-types.js'

/**
 * Returns a concern where the data of the project show no fault in any of the cases: rows that were made up, and that the data may never have, are
 * no evidence by themselves that the knowledge is wrong rather than the expected query another spelling.
 */
export function seenOnlyOnCopies(
  cases: readonly SqlCase[],
  current: ReadonlyMap<string, SqlEvaluation>,
): string[] {
  const copies = cases.map(({ id }) => {
    const results = current.get(id)?.score.results
    return results?.kind === 'mismatch' ? results.copy : undefined
  })
  const [first] = copies
  return first !== undefined && copies.every((copy) => copy !== undefined)
    ? [
        `the rows of the database are equal, and only made-up ones differ (copy ${first.index}: ${first.title})`,
      ]
    : []
}
