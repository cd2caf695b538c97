import type { Dialect } from '../enums/dialect.js'
import { columnHints } from './normalize/column-hints.js'
import { bindPairColumns, mapPair, type QueryPair } from './query-pair.js'
import type { QueryShape } from './shape/query-shape.js'
import { expandStarsFromHints } from './tables/expand-stars.js'
import {
  isFullyQualified,
  isOneSession,
  matchQualifiedTables,
  renameTables,
  unconfirmedBySchema,
} from './tables/qualified-names.js'
import { starredByOneQuery } from './tables/starred-tables.js'
import type { Schema } from './tables/table-schema.js'

/** Both queries under assumptions about the tables that they name, and these assumptions in words. */
export interface AssumedPair {
  readonly shapes: QueryPair<QueryShape>
  readonly assumptions: readonly string[]
  /** The same with the columns of tables in another order: where both are equal, no order is assumed. */
  readonly reversed?: QueryPair<QueryShape> | undefined
  readonly inAnyOrder?: readonly string[] | undefined
  /** Nothing is assumed but that tables named in full, with catalogue and schema, are those that the session names shorter. */
  readonly assumesOneSession: boolean
}

/**
 * Returns what may be assumed about tables without a known schema: that a table named with its schema in one query is the
 * one named without it in the other, and that a table has no columns except those that the queries name. The fewest
 * assumptions come first; empty where the queries leave nothing open.
 */
export function pairAssumptions(
  written: QueryPair<QueryShape>,
  dialects: QueryPair<Dialect>,
  schema: Schema | undefined,
): readonly AssumedPair[] {
  const names = unconfirmedBySchema(matchQualifiedTables([written.expected, written.generated]), schema)
  const renamed = mapPair(written, (shape) => renameTables(shape, names))
  const hints = columnHints([renamed.expected, renamed.generated])
  const bound = bindPairColumns(renamed, hints, dialects)
  const same = [...names].map(([short, long]) => `${short} is ${long}`).sort()
  const listable = starredByOneQuery(bound, hints)
  const closed = new Set<string>()
  const listed = mapPair(bound, (shape) => expandStarsFromHints(shape, listable, closed, false))
  const reversed = mapPair(bound, (shape) => expandStarsFromHints(shape, listable, closed, true))
  const tables = [...closed].sort().map((table) => {
    const columns = [...(hints.get(table) ?? [])].filter((name) => name !== '*')
    return { table, columns }
  })
  const only = tables.map(
    ({ table, columns }) => `${table} has the columns ${columns.join(', ')}, in this order, and no others`,
  )
  const inAnyOrder = tables.map(({ table, columns }) =>
    columns.length === 1
      ? `${table} has the column ${columns.join('')} and no others`
      : `${table} has the columns ${[...columns].sort().join(', ')} and no others`,
  )
  return [
    ...(same.length > 0
      ? [
          {
            shapes: bound,
            assumptions: same,
            assumesOneSession: [...names.values()].every(isFullyQualified) && isOneSession(names),
          },
        ]
      : []),
    ...(only.length > 0
      ? [
          {
            shapes: listed,
            assumptions: [...same, ...only],
            reversed,
            inAnyOrder: [...same, ...inAnyOrder],
            assumesOneSession: false,
          },
        ]
      : []),
  ]
}
