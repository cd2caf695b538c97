import type { Engine, FuzzedCopy, QueryLimits, UntriedValues } from '../../engine/contract/engine.js'
import { describeHabit, inferHabit } from '../../engine/fuzz/value-domain.js'
import { quoteName } from '../../engine/query/quote-names.js'
import type { Dialect } from '../../enums/dialect.js'
import type { ComparedLiteral } from '../../sql/index.js'
import { callsIn } from '../../sql-text/calls.js'

/** Distinct values of a column that are read: more are no habit that a query relies on. */
const mostValues = 20_000

/** A habit of a column that a pair of queries compares with something. */
export interface RelevantHabit {
  /** "orders.ts" */
  readonly column: string
  /** "all at midnight" */
  readonly text: string
  readonly isOfAllRows: boolean
}

/**
 * Returns the habits of the columns that queries compare with literals: as the copies know them, or as the values of a file show
 * them.
 */
export async function relevantHabits(
  engine: Engine,
  values: readonly ComparedLiteral[],
  untried: UntriedValues | undefined,
  limits: QueryLimits,
): Promise<readonly RelevantHabit[]> {
  const places = new Map(
    values
      .filter(({ path, role }) => path === undefined && role !== 'member')
      .map((value) => [`${value.table}.${value.column}`, value]),
  )
  if (untried !== undefined) {
    return untried.habits
      .filter(({ table, column }) => places.has(`${table}.${column.toLowerCase()}`))
      .map(({ table, column, habit, isOfAllRows }) => ({
        column: `${table}.${column}`,
        text: describeHabit(habit),
        isOfAllRows,
      }))
  }
  const found: RelevantHabit[] = []
  for (const [name, { table, column }] of places) {
    const from = table.split('.').map(quoteName).join('.')
    const outcome = await engine.query(
      `SELECT DISTINCT CAST(${quoteName(column)} AS VARCHAR) FROM ${from} WHERE ${quoteName(column)} IS NOT NULL LIMIT ${mostValues}`,
      limits,
    )
    if (outcome.kind !== 'rows') continue
    const habit = inferHabit(outcome.result.rows.map(([cell]) => String(cell)))
    if (habit !== undefined) found.push({ column: name, text: describeHabit(habit), isOfAllRows: true })
  }
  return found
}

/** Returns why a match on copies leaves a pair open; undefined if it does not. */
export function openReason(
  copy: Pick<FuzzedCopy, 'untriedIn'>,
  expectedSql: string,
  generatedSql: string,
  dialect: Dialect,
): string | undefined {
  const [type] = copy.untriedIn?.([expectedSql, generatedSql]).heldOnly ?? []
  if (type !== undefined) return `copies hold no other value of ${type}`
  const [expected, generated] = [expectedSql, generatedSql].map((sql) => estimatesIn(sql, dialect))
  const estimate = [...(expected ?? []), ...(generated ?? [])].find(
    (name) => expected?.has(name) !== generated?.has(name),
  )
  return estimate === undefined
    ? undefined
    : `${estimate} estimates, and no copy is large enough to show its error`
}

/** Functions that say by their name that their result is an estimate. */
function estimatesIn(sql: string, dialect: Dialect): ReadonlySet<string> {
  const names = callsIn(sql, dialect).map(({ name }) => name.toLowerCase())
  return new Set(names.filter((name) => name.startsWith('approx_')))
}
