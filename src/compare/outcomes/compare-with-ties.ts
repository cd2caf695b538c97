import type { QueryLimits, QueryOutcome, ResultSet, Value } from '../../engine/contract/engine.js'
import type { ResultFinding } from '../model/sql-score.js'
import { compareResults } from '../results/compare-results.js'
import { compareOptions, compareOutcomes, type OutcomeComparisonOptions } from './query-outcomes.js'

/** Runs a query on the engine on which both queries were run. */
export type RunQuery = (sql: string, limits: QueryLimits) => Promise<QueryOutcome>

/**
 * Compares two outcomes as `compareOutcomes` does; if only the order of rows prevents a match, the engine is
 * asked which rows tie. Throws what the engine throws.
 */
export async function compareWithTies(
  expected: QueryOutcome,
  generated: QueryOutcome,
  how: OutcomeComparisonOptions,
  query: RunQuery,
): Promise<ResultFinding> {
  const found = compareOutcomes(expected, generated, how)
  const isMisplaced = found.kind === 'mismatch' && found.comparison.differences[0]?.kind === 'order'
  if (!isMisplaced || expected.kind !== 'rows' || generated.kind !== 'rows') return found
  const tieQuery = how.order.tieQuery?.()
  if (tieQuery === undefined) return found
  const ranked = await query(tieQuery, how.limits)
  const known = ranked.kind === 'rows' ? readRanks(ranked.result, expected.result, how) : undefined
  if (known === undefined) return found
  const options = { ...compareOptions(expected.result, how), ranks: known.ranks }
  const comparison = compareResults(known.rows, generated.result, options)
  return comparison.match ? { kind: 'match', comparison, empty: false } : { kind: 'mismatch', comparison }
}

/**
 * Returns the expected rows in their order with their ranks; undefined if the rows differ, or the ranks do
 * not order them.
 */
function readRanks(
  ranked: ResultSet,
  expected: ResultSet,
  how: OutcomeComparisonOptions,
): { readonly rows: ResultSet; readonly ranks: readonly Value[] } | undefined {
  const width = expected.columns.length
  if (ranked.cut !== null || ranked.columns.length !== width + 1) return undefined
  const rows: ResultSet = {
    columns: expected.columns,
    rows: ranked.rows.map((row) => row.slice(0, width)),
    cut: null,
  }
  const ranks = ranked.rows.map((row) => row[width] ?? null)
  const isOrdered = ranks.every((rank, at) => at === 0 || Number(ranks[at - 1]) <= Number(rank))
  const { tolerance } = how
  return isOrdered &&
    compareResults(expected, rows, { order: 'unordered', tolerance, columns: 'position' }).match
    ? { rows, ranks }
    : undefined
}
