import type { CopyQueries, QueryOutcome, Value } from '../../engine/contract/engine.js'
import type { RowComparison } from '../model/sql-score.js'
import { compareWithTies, type RunQuery } from '../outcomes/compare-with-ties.js'
import { compareOutcomes, type OutcomeComparisonOptions } from '../outcomes/query-outcomes.js'
import type { RunAndCompareInput } from '../outcomes/run-and-compare.js'
import { mayDependOnOrder } from '../outcomes/tie-nondeterminism.js'
import { isAllowedByTies } from './ties-at-limit.js'

/** Two queries in one dialect, and how their results are compared. */
export type CopyPair = OutcomeComparisonOptions & Pick<RunAndCompareInput, 'expectedSql' | 'generatedSql'>

/** What one copy says of a pair. */
export type CopyOutcome =
  | { readonly kind: 'match'; readonly expected: QueryOutcome }
  | { readonly kind: 'differ'; readonly comparison: RowComparison }
  | { readonly kind: 'fails'; readonly message: string }
  /** Only the generated query runs, which the database itself does not show. */
  | { readonly kind: 'expected_fails'; readonly message: string }
  | { readonly kind: 'nothing' }

const inconclusive: CopyOutcome = { kind: 'nothing' }

/**
 * A copy may change the number of rows, so this error is expected; other failures may be caused by generated
 * values.
 */
const tooManyRows = /more than (?:one|1) (?:row|element)|returned multiple rows/iu

/** Runs both queries on a copy. */
export async function compareOnCopy(copy: CopyQueries, pair: CopyPair): Promise<CopyOutcome> {
  const expected = await copy.query(pair.expectedSql, pair.limits)
  const generated = await copy.query(pair.generatedSql, pair.limits)
  if (expected.kind === 'failed' && generated.kind === 'rows')
    return { kind: 'expected_fails', message: expected.message }
  if (expected.kind !== 'rows') return inconclusive
  const query: RunQuery = (sql, limits) => copy.query(sql, limits)
  const results = await compareWithTies(expected, generated, pair, query)
  if (results.kind === 'match') return isUninformative(expected) ? inconclusive : { kind: 'match', expected }
  if (results.kind === 'generated_failed' && tooManyRows.test(results.message))
    return { kind: 'fails', message: results.message }
  if (results.kind !== 'mismatch') return inconclusive
  const { expectedRows, actualRows } = results.comparison
  const isSameSize = generated.kind === 'rows' && expectedRows === actualRows
  if (isSameSize && (await isAllowedByTies(copy, pair, generated.result))) return inconclusive
  const mayVary = [pair.expectedSql, pair.generatedSql].some(mayDependOnOrder)
  const rounds = mayVary ? (copy.rounds ?? 1) : 1
  for (let round = 0; ; round++) {
    const rearranged = await copy.queryReordered(pair.expectedSql, pair.limits, round)
    const found = ignoreNondeterminism({ expected, generated, rearranged }, pair, results.comparison)
    if (
      round + 1 >= rounds ||
      found.kind !== 'differ' ||
      compareOutcomes(expected, rearranged, pair).kind !== 'match'
    )
      return found
  }
}

/** Keeps a difference only if the expected rows do not depend on the storage order of rows. */
function ignoreNondeterminism(
  outcomes: Record<'expected' | 'generated' | 'rearranged', QueryOutcome>,
  pair: CopyPair,
  comparison: RowComparison,
): CopyOutcome {
  const { expected, generated, rearranged } = outcomes
  const again = compareOutcomes(expected, rearranged, pair)
  if (again.kind === 'match') return { kind: 'differ', comparison }
  if (again.kind !== 'mismatch') return inconclusive
  if (pair.order.order === 'ordered') {
    const loose = unordered(pair)
    const results = compareOutcomes(expected, generated, loose)
    if (results.kind === 'match') return { kind: 'match', expected }
    return results.kind === 'mismatch'
      ? ignoreNondeterminism(outcomes, loose, results.comparison)
      : inconclusive
  }
  // Whichever of the tied rows come first, their number is determined by the query.
  const sameNumber = again.comparison.expectedRows === again.comparison.actualRows
  return sameNumber && comparison.expectedRows !== comparison.actualRows
    ? { kind: 'differ', comparison }
    : inconclusive
}

/** Reports whether there are no rows, or only NULLs and zeros: the counts and sums of no rows. */
function isUninformative(outcome: QueryOutcome): boolean {
  if (outcome.kind !== 'rows') return true
  return outcome.result.rows.every((row) => row.every(isNothing))
}

/** NULL or zero as any type of number; as a text only where it has decimals, since '0' may be a code. */
function isNothing(cell: Value): boolean {
  if (cell === null || cell === 0 || cell === 0n) return true
  if (typeof cell === 'string') return /^[-+]?0+\.0+$/.test(cell)
  return typeof cell === 'object' && cell.kind === 'decimal' && /^[-+]?0*\.?0*(?:e.*)?$/i.test(cell.text)
}

export function unordered(pair: CopyPair): CopyPair {
  return { ...pair, order: { order: 'unordered', columnsIn: () => undefined } }
}
