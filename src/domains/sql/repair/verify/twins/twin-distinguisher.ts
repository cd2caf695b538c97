import type { SqlCase } from '../../../../../benchmark/case.js'
import type { ResultFinding } from '../../../../../compare/model/sql-score.js'
import { finished } from '../../../../../compare/outcomes/deadline-errors.js'
import { compareResults } from '../../../../../compare/results/compare-results.js'
import type { Engine, QueryLimits, ResultSet } from '../../../../../engine/contract/engine.js'
import type { Dialect } from '../../../../../enums/dialect.js'
import { translateSql } from '../../../../../sql/index.js'

export interface DistinguisherOptions {
  readonly engineOf: (testCase: SqlCase) => Promise<Engine | undefined>
  readonly dialectOf: (testCase: SqlCase) => Dialect
  readonly limits: QueryLimits
}

const exact = { order: 'unordered', tolerance: 1e-9, columns: 'position' } as const

/**
 * Returns a test of whether a twin distinguishes a right repair from a wrong one: its expected rows are not
 * empty, not truncated, and differ from those of the original. Without an engine this cannot be determined,
 * and no twin counts.
 */
export function createDistinguisher(
  options: DistinguisherOptions,
): (twin: SqlCase, original: SqlCase) => Promise<boolean> {
  const originals = new Map<string, Promise<ResultSet | undefined>>()
  return async (twin, original) => {
    const key = `${original.id}\0${original.expectedSql}`
    const known = originals.get(key) ?? expectedRows(original, options)
    originals.set(key, known)
    const [twinRows, originalRows] = await Promise.all([expectedRows(twin, options), known])
    if (twinRows === undefined || originalRows === undefined || isEmpty(twinRows)) return false
    return !compareResults(originalRows, twinRows, exact).match
  }
}

async function expectedRows(
  testCase: SqlCase,
  options: DistinguisherOptions,
): Promise<ResultSet | undefined> {
  const engine = await options.engineOf(testCase)
  if (engine === undefined) return undefined
  const from = options.dialectOf(testCase)
  const carried = await translateSql(testCase.expectedSql, from, engine.dialect)
  if (carried.kind !== 'sql') return undefined
  const outcome = finished(await engine.query(carried.sql, options.limits))
  return outcome.kind === 'rows' && outcome.result.cut === null ? outcome.result : undefined
}

/**
 * Reports whether an answer is right on the database and differs on a copy only where no row is expected: `count(*)` gives 0 there
 * and `sum(1)` NULL, whatever the twin's value. On the database such a twin is not used either.
 */
export function isRefutedByNothing(results: ResultFinding): boolean {
  if (results.kind !== 'mismatch' || results.copy === undefined) return false
  const { differences, differing, expectedRows } = results.comparison
  return (
    expectedRows <= 1 &&
    differing === differences.length &&
    differences.every((each) => each.kind === 'changed' && each.expected.every((cell) => cell === null))
  )
}

/** Reports whether there are no rows, or an aggregate over no rows: one row of NULLs. */
function isEmpty(result: ResultSet): boolean {
  return result.rows.every((row) => row.every((cell) => cell === null))
}
