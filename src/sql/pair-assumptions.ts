import type { Dialect } from '../dialect.js'
import { expandShownStars } from './closed-tables.js'
import { renameTables, sameTables, uncatalogued } from './namespaces.js'
import { columnHints } from './normalize/hints.js'
import type { QueryShape } from './shape/query-shape.js'
import { type Both, bindBoth, both } from './sides.js'
import type { Schema } from './tables.js'

/** Both queries where something is taken for granted of the tables that they name, and in words what. */
export interface AssumedSides {
  readonly shapes: Both<QueryShape>
  readonly assumptions: readonly string[]
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
  const closed = new Set<string>()
  const listed = both(bound, (shape) => expandShownStars(shape, hints, closed))
  const only = [...closed].sort().map((table) => {
    const columns = [...(hints.get(table) ?? [])].filter((name) => name !== '*')
    return `${table} has the columns ${columns.join(', ')}, in this order, and no others`
  })
  return [
    ...(same.length > 0 ? [{ shapes: bound, assumptions: same }] : []),
    ...(only.length > 0 ? [{ shapes: listed, assumptions: [...same, ...only] }] : []),
  ]
}
