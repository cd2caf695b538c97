import type { Engine, QueryOutcome } from '../../engine/contract/engine.js'
import { AutotestError } from '../../errors.js'
import type { RowComparison } from '../model/sql-score.js'
import { compareWithTies } from './compare-with-ties.js'
import { endsMoreThanCopies } from './deadline-errors.js'
import { compareOutcomes, type OutcomeComparisonOptions } from './query-outcomes.js'
import type { RunAndCompareInput } from './run-and-compare.js'

type Rows = Extract<QueryOutcome, { kind: 'rows' }>

/** Storage orders of rows that show whether a query depends on them: reversed, and shuffled. */
const seeds: readonly (number | undefined)[] = [undefined, 1]

/**
 * These number rows as they are stored, which may be intended, or are SQLite's own, whose values a copy
 * changes.
 */
const rowIds = /\b(?:_?rowid_?|oid|sqlite_\w+)\b/iu

/**
 * Matches constructs that take one of several rows, or take them in an order. SQLite also takes any row for a
 * column that is not grouped by.
 */
const orderSensitivePattern =
  /\b(?:over|limit|fetch|top|offset|qualify|distinct\s+on|any_value|arbitrary|first|last|mode|list|list_agg|listagg|group_concat|string_agg|array_agg|json_group_array|json_group_object|arg_?(?:min|max)|(?:min|max)_by|histogram|map_agg|sample|approx_\w+)\b/iu
const bareColumnPattern = /\bgroup\s+by\b|\b(?:min|max)\s*\(/iu

/** Reports whether rows of a query may depend on the order in which rows are stored. */
export function mayDependOnOrder(sql: string): boolean {
  return orderSensitivePattern.test(sql)
}

/**
 * Yields the outcomes of a query on copies that store the same rows in other orders; none if no copy can be
 * made.
 */
async function* reorderedOutcomes(
  engine: Engine,
  sql: string,
  how: OutcomeComparisonOptions,
): AsyncGenerator<Rows> {
  const { copies } = engine
  if (copies === undefined || rowIds.test(sql)) return
  for (const seed of seeds) {
    const outcome = await copies
      .queryReordered(sql, how.limits, seed)
      .catch((error: unknown) => ignoreUnavailableCopy(error))
    if (outcome?.kind === 'rows') yield outcome
  }
}

/**
 * Describes how the rows of a query differ if the rows of its database are stored in another order: then ties
 * decide which rows are included. Undefined if they do not differ, or if this cannot be determined. Throws
 * what the engine throws.
 */
export async function findTieNondeterminism(
  engine: Engine,
  sql: string,
  usual: Rows,
  how: OutcomeComparisonOptions,
): Promise<RowComparison | undefined> {
  for await (const outcome of reorderedOutcomes(engine, sql, how)) {
    const found = await compareWithTies(usual, outcome, how, (asked, limits) => engine.query(asked, limits))
    if (found.kind === 'mismatch') return found.comparison
  }
  return undefined
}

/**
 * Reports whether the expected query returns the other one's rows if the rows of its database are stored in
 * another order: then the answer is one of those that the expected query allows. Nothing is run if its text
 * contains nothing that depends on the order.
 */
export async function matchesAfterReordering(input: RunAndCompareInput): Promise<boolean> {
  const { engine, expectedSql, generatedSql, limits } = input
  const mayMind =
    mayDependOnOrder(expectedSql) || (engine.dialect === 'sqlite' && bareColumnPattern.test(expectedSql))
  if (engine.copies === undefined || !mayMind) return false
  const [expected, generated] = [await input.expectedOutcome(), await engine.query(generatedSql, limits)]
  if (expected.kind !== 'rows') return false
  for await (const outcome of reorderedOutcomes(engine, expectedSql, input))
    if (compareOutcomes(outcome, generated, input).kind === 'match') return true
  return false
}

/** Ignores a failed copy: the database may be sound nevertheless. One that was only slow says nothing. */
function ignoreUnavailableCopy(error: unknown): undefined {
  if (!(error instanceof AutotestError) || endsMoreThanCopies.has(error.code)) throw error
  return undefined
}
