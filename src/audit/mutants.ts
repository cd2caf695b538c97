import type { Dialect } from '../enums/dialect.js'
import { swappedAggregates } from './mutate/aggregates.js'
import { steppedBounds, swappedBounds } from './mutate/bounds.js'
import { reversedOrders, steppedLimits, swappedJoins } from './mutate/clauses.js'
import { swappedColumns } from './mutate/columns.js'
import { droppedConditions } from './mutate/conditions.js'
import { type ColumnValues, swappedLiterals } from './mutate/literals.js'
import { applyMutation, type MutantKind, type Mutation } from './mutate/mutation.js'
import type { QueryText } from './mutate/query-text.js'
import { swappedDistinct } from './mutate/select-distinct.js'

/** The query with one small error. */
export interface Mutant {
  readonly kind: MutantKind
  /** Unique in its query: "without tz_type = 'local'", "avg instead of sum, place 2 of 3". */
  readonly words: string
  readonly sql: string
}

export interface Mutants {
  readonly mutants: readonly Mutant[]
  /** Number of mutants not tried, of a query too long to try all. */
  readonly leftOut: number
}

/** Mutants tried per query, and their characters kept in memory at once. */
const mostMutants = 500
const mostCharacters = 20_000_000
/** Descriptions show the beginning of a long condition. */
const mostWords = 200

/** Returns the mutants of the query, each text once. `valuesOf` returns values of a column. */
export function generateMutants(query: QueryText, valuesOf: ColumnValues, dialect: Dialect): Mutants {
  const changes = uniqueMutations(query, [
    ...droppedConditions(query),
    ...swappedAggregates(query),
    ...swappedColumns(query),
    ...swappedBounds(query),
    ...steppedBounds(query),
    ...swappedJoins(query),
    ...swappedDistinct(query),
    ...steppedLimits(query),
    ...reversedOrders(query),
    ...swappedLiterals(query, valuesOf, dialect),
  ])
  const most = Math.max(1, Math.min(mostMutants, Math.floor(mostCharacters / query.sql.length)))
  const tried = numberDuplicates(sampleEvenly(changes, most))
  return {
    mutants: tried.map((change) => ({
      kind: change.kind,
      words: change.words,
      sql: applyMutation(query, change),
    })),
    leftOut: changes.length - tried.length,
  }
}

/** Removes changes that result in a text twice, or in the original text. */
function uniqueMutations({ sql }: QueryText, changes: readonly Mutation[]): Mutation[] {
  const known = new Set<string>()
  return changes.flatMap((change) => {
    const real = change.replacements.filter(({ start, end, text }) => sql.slice(start, end) !== text)
    const key = real.map(({ start, end, text }) => `${start} ${end} ${text}`).join('\0')
    if (key === '' || known.has(key)) return []
    known.add(key)
    const { words } = change
    return [{ ...change, words: words.length > mostWords ? `${words.slice(0, mostWords)}…` : words }]
  })
}

/** Returns at most `most` of the items, evenly spread over the list. */
function sampleEvenly<Item>(items: readonly Item[], most: number): readonly Item[] {
  if (items.length <= most) return items
  const share = (at: number): number => Math.floor((at * most) / items.length)
  return items.filter((_, at) => share(at) !== share(at + 1))
}

/** Adds the position in the query to equal descriptions. */
function numberDuplicates(changes: readonly Mutation[]): Mutation[] {
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
