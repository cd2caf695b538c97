import type { Dialect } from '../enums/dialect.js'
import { columnHints } from './normalize/hints.js'
import type { QueryShape } from './shape/query-shape.js'
import { type Both, bindBoth, both } from './sides.js'
import { expandShownStars } from './tables/closed-tables.js'
import { listedByOne } from './tables/listed-tables.js'
import { isInFull, isOneSession, renameTables, sameTables, uncatalogued } from './tables/namespaces.js'
import type { Schema } from './tables/tables.js'

/** Both queries where something is taken for granted of the tables that they name, and in words what. */
export interface AssumedSides {
  readonly shapes: Both<QueryShape>
  readonly assumptions: readonly string[]
  /** The same with the columns of tables in another order: where both are equal, no order is assumed. */
  readonly turned?: Both<QueryShape> | undefined
  readonly inAnyOrder?: readonly string[] | undefined
  /** Nothing is assumed but that tables named in full, with catalogue and schema, are those that the session names shorter. */
  readonly ofOneSession: boolean
}

/**
 * What may be assumed of tables of which no schema tells: that a table named with its schema in one query is the one
 * named without in the other, and that a table has no columns but those that the queries name. The fewest
 * assumptions first; nothing where the queries leave nothing open.
 */
export function assumedSides(
  written: Both<QueryShape>,
  dialects: Both<Dialect>,
  schema: Schema | undefined,
): readonly AssumedSides[] {
  const names = uncatalogued(sameTables([written.expected, written.generated]), schema)
  const renamed = both(written, (shape) => renameTables(shape, names))
  const hints = columnHints([renamed.expected, renamed.generated])
  const bound = bindBoth(renamed, hints, dialects)
  const same = [...names].map(([short, long]) => `${short} is ${long}`).sort()
  const listable = listedByOne(bound, hints)
  const closed = new Set<string>()
  const listed = both(bound, (shape) => expandShownStars(shape, listable, closed, false))
  const turned = both(bound, (shape) => expandShownStars(shape, listable, closed, true))
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
            ofOneSession: [...names.values()].every(isInFull) && isOneSession(names),
          },
        ]
      : []),
    ...(only.length > 0
      ? [
          {
            shapes: listed,
            assumptions: [...same, ...only],
            turned,
            inAnyOrder: [...same, ...inAnyOrder],
            ofOneSession: false,
          },
        ]
      : []),
  ]
}
