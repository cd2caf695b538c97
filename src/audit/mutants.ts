import type { Dialect } from '../dialect.js'
import { swappedAggregates } from './mutate/aggregates.js'
import { steppedBounds, swappedBounds } from './mutate/bounds.js'
import { apply, type Change, type MutantKind } from './mutate/change.js'
import { steppedLimits, swappedJoins, turnedOrders } from './mutate/clauses.js'
import { swappedColumns } from './mutate/columns.js'
import { droppedConditions } from './mutate/conditions.js'
import { type ColumnValues, swappedLiterals } from './mutate/literals.js'
import type { QueryText } from './mutate/query-text.js'
import { swappedDistinct } from './mutate/select-distinct.js'

/** The query with one small wrong turn. */
export interface Mutant {
  readonly kind: MutantKind
  /** Unique in its query: "without tz_type = 'local'", "avg instead of sum, place 2 of 3". */
  readonly words: string
  readonly sql: string
}

/** Every mutant of the query, each text once. `valuesOf` gives values that a column holds. */
export function mutantsOf(query: QueryText, valuesOf: ColumnValues, dialect: Dialect): Mutant[] {
  const changes = [
    ...droppedConditions(query),
    ...swappedAggregates(query),
    ...swappedColumns(query),
    ...swappedBounds(query),
    ...steppedBounds(query),
    ...swappedJoins(query),
    ...swappedDistinct(query),
    ...steppedLimits(query),
    ...turnedOrders(query),
    ...swappedLiterals(query, valuesOf, dialect),
  ]
  const known = new Set([query.sql])
  const mutants = numbered(changes).map((change) => ({
    kind: change.kind,
    words: change.words,
    sql: apply(query, change),
  }))
  return mutants.filter(({ sql }) => !known.has(sql) && known.add(sql))
}

/** Equal words told apart by their place in the query. */
function numbered(changes: readonly Change[]): Change[] {
  const total = new Map<string, number>()
  for (const { words } of changes) total.set(words, (total.get(words) ?? 0) + 1)
  const seen = new Map<string, number>()
  return changes.map((change) => {
    const places = total.get(change.words) ?? 1
    if (places === 1) return change
    const place = (seen.get(change.words) ?? 0) + 1
    seen.set(change.words, place)
    return { ...change, words: `${change.words}, place ${place} of ${places}` }
  })
}
