import { changedDifference } from './print/diff.js'
import type { PrintedQuery } from './print/print.js'
import type { QueryPair } from './query-pair.js'
import type { QueryShape } from './shape/query-shape.js'
import type { SqlDifference } from './structural-comparison.js'

/**
 * Outputs that carry each other's names in two queries of one form. Where both have the same names, names say which
 * column is which, as they do for results; otherwise they are ignored, and so is the order.
 */
export function findMisnamedOutputs(
  shapes: QueryPair<QueryShape>,
  printed: QueryPair<PrintedQuery>,
): readonly SqlDifference[] {
  const expected = outputsByName(shapes.expected, printed.expected)
  const generated = outputsByName(shapes.generated, printed.generated)
  if (expected === undefined || generated === undefined || expected.size !== generated.size) return []
  if (![...expected.keys()].every((name) => generated.has(name))) return []
  return [...expected].flatMap(([name, wanted]): SqlDifference[] => {
    const found = generated.get(name)
    return found === undefined || found === wanted
      ? []
      : [changedDifference('projections', `column ${name}`, wanted, found)]
  })
}

/** Undefined where an output has no name of its own, two have one, or rules have added or removed some. */
function outputsByName(
  shape: QueryShape,
  { outputs }: PrintedQuery,
): ReadonlyMap<string, string> | undefined {
  if (shape.kind !== 'select' || outputs?.length !== shape.names.length) return undefined
  const byName = new Map<string, string>()
  for (const [at, name] of shape.names.entries()) {
    const output = outputs[at]
    if (name === undefined || output === undefined) return undefined
    byName.set(name.toLowerCase(), output)
  }
  return byName.size === shape.names.length ? byName : undefined
}
