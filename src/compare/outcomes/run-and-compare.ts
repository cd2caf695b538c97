import type { Engine, QueryOutcome } from '../../engine/contract/engine.js'
import { compareInsideEngine } from '../inside/compare-inside-engine.js'
import type { ResultFinding } from '../model/sql-score.js'
import { compareWithTies } from './compare-with-ties.js'
import type { OutcomeComparisonOptions } from './query-outcomes.js'

export interface RunAndCompareInput extends OutcomeComparisonOptions {
  readonly engine: Engine
  readonly expectedSql: string
  readonly generatedSql: string
  /** Whether both are one text, which is run once. */
  readonly same: boolean
  /** Runs the expected query, or returns its known outcome. */
  readonly expectedOutcome: () => Promise<QueryOutcome>
}

/**
 * Runs both queries and compares their results; those that are too large are compared in the engine, where it can. Throws what `Engine.query` throws: then the engine itself
 * fails.
 */
export async function runAndCompare(input: RunAndCompareInput): Promise<ResultFinding> {
  const expected = await input.expectedOutcome()
  const isKnown = input.same || expected.kind !== 'rows'
  const generated = isKnown ? expected : await input.engine.query(input.generatedSql, input.limits)
  const found = await compareWithTies(expected, generated, input, (sql, limits) =>
    input.engine.query(sql, limits),
  )
  return found.kind === 'cut' ? compareInsideEngine(input.engine, input, found) : found
}
