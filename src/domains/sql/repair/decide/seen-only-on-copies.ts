import type { SqlCase } from '../../../../benchmark/case.js'
import type { SqlEvaluation } from '../model/sql-repair-types.js'

/**
 * Returns a concern where the data of the project show no fault in the only case of a plan: rows that were made up, and that the data may never have,
 * are no evidence by themselves that the knowledge is wrong rather than the expected query another spelling.
 */
export function seenOnlyOnCopies(
  [first, ...more]: readonly SqlCase[],
  current: ReadonlyMap<string, SqlEvaluation>,
): string[] {
  const results = first && current.get(first.id)?.score.results
  if (more.length > 0 || results?.kind !== 'mismatch' || results.copy === undefined) return []
  const { index, title } = results.copy
  return [`the rows of the database are equal, and only made-up ones differ (copy ${index}: ${title})`]
}
