import type { CaseCompareOptions } from '../../benchmark/case.js'
import type { QueryLimits, QueryOutcome, ResultSet } from '../../engine/contract/engine.js'
import type { ResultFinding } from '../model/sql-score.js'
import { type CompareOptions, compareResults } from '../results/compare-results.js'

/** Row order as the expected query requires it; the ordering columns are known once its result is. */
export interface RowOrder {
  readonly order: 'ordered' | 'unordered'
  readonly columnsIn: (expected: ResultSet) => readonly number[] | undefined
  /**
   * Returns the expected query with the rank of each row as one more column, equal where rows tie; undefined if it is not
   * known. Most results match without it.
   */
  readonly tieQuery?: (() => string | undefined) | undefined
  /** A note for rows in another order; absent: none. */
  readonly note?: string | undefined
}

/** How two results are compared. */
export interface OutcomeComparisonOptions {
  readonly limits: QueryLimits
  readonly order: RowOrder
  readonly tolerance: number
  readonly columns: CaseCompareOptions['columns']
}

/** Compares two outcomes. The expected one is checked first, because without it nothing is known. */
export function compareOutcomes(
  expected: QueryOutcome,
  generated: QueryOutcome,
  how: OutcomeComparisonOptions,
): ResultFinding {
  if (expected.kind !== 'rows')
    return {
      kind: 'expected_failed',
      how: expected.kind,
      message: expected.message,
      setup: expected.kind === 'failed' ? expected.setup : undefined,
    }
  if (generated.kind !== 'rows')
    return {
      kind: 'generated_failed',
      how: generated.kind,
      message: generated.message,
      ...(generated.kind === 'killed' && generated.limit === 'deadline' ? { isLate: true } : {}),
    }
  return compareRows(expected.result, generated.result, how)
}

function compareRows(
  expected: ResultSet,
  generated: ResultSet,
  input: OutcomeComparisonOptions,
): ResultFinding {
  const cut = expected.cut ?? generated.cut
  if (cut !== null) {
    const side = expected.cut === null ? 'generated' : generated.cut === null ? 'expected' : 'both'
    const whose = side === 'both' ? 'both results have' : `the ${side} result has`
    return { kind: 'cut', side, message: `${whose} ${describeTruncation(cut, input.limits)}` }
  }
  const comparison = compareResults(expected, generated, compareOptions(expected, input))
  return comparison.match
    ? { kind: 'match', comparison, empty: isEmpty(expected) }
    : { kind: 'mismatch', comparison }
}

/** Returns the options for comparing with a known expected result. */
export function compareOptions(
  expected: ResultSet,
  { order: { order, columnsIn, note }, tolerance, columns }: Omit<OutcomeComparisonOptions, 'limits'>,
): CompareOptions {
  return {
    order,
    orderNote: note,
    tolerance,
    columns: columns ?? 'auto',
    orderColumns: order === 'ordered' ? columnsIn(expected) : undefined,
  }
}

/** Describes the size of a cut result: "more than 200000 rows (limits.rows)". */
export function describeTruncation(cap: NonNullable<ResultSet['cut']>, limits: QueryLimits): string {
  switch (cap) {
    case 'rows':
      return `more than ${limits.rows} rows (limits.rows)`
    case 'bytes':
      return `more than ${limits.bytes} bytes (limits.bytes)`
    case 'service':
      return 'more rows than the query service returns'
  }
}

/** Reports whether there are no rows, or an aggregate over no rows: one row of NULLs. */
function isEmpty(result: ResultSet): boolean {
  return result.rows.every((row) => row.every((cell) => cell === null))
}
