import { type BoundPair, mapPair } from './query-pair.js'
import { ambiguousNames, resolveAmbiguousNames } from './shape/alias-ambiguity.js'
import type { StructuralComparison } from './structural-comparison.js'

type Bound = BoundPair & { kind: 'bound' }

/** More open names than this are not tried as columns in all combinations. */
const maxNames = 3

/**
 * Compares queries in which names may be aliases of outputs or columns, as no schema says which columns there are.
 * The names are treated as aliases, and the queries are equal without an assumption only where they are equal with columns
 * too; with `conventionalNames` the assumption is made, and reported.
 */
export function compareAliasReadings(
  bound: Bound,
  compare: (read: Bound) => StructuralComparison,
  conventionalNames: boolean,
): StructuralComparison {
  const names = [
    ...new Set(
      [bound.written.expected, bound.written.generated].flatMap((shape) => [...ambiguousNames(shape)]),
    ),
  ].sort()
  if (names.length === 0) return compare(bound)
  const asColumns = (columns: readonly string[]): StructuralComparison =>
    compare(readAs(bound, new Set(columns)))
  const finding = asColumns([])
  if (finding.kind !== 'equal' && finding.kind !== 'equal_if') return finding
  const isOpen = (columns: readonly string[]): boolean => asColumns(columns).kind !== 'equal'
  if (finding.kind === 'equal' && names.length <= maxNames && !subsetsOf(names).some(isOpen)) return finding
  // Equal whichever it is: the names stand for themselves on both sides.
  if (names.length > maxNames && compare(bound).kind === 'equal') return { kind: 'equal' }
  const decisive = names.filter((name) => isOpen([name]))
  const assumed = (decisive.length > 0 ? decisive : names).map(
    (name) => `no table in the queries has a column named ${name}, so it is the alias`,
  )
  const assumptions = [...assumed, ...(finding.assumptions ?? [])]
  if (finding.kind === 'equal_if') return { ...finding, assumptions }
  return conventionalNames
    ? { kind: 'equal', assumptions }
    : { kind: 'equal_if', assumptions, differences: [] }
}

function readAs(bound: Bound, columns: ReadonlySet<string>): Bound {
  return {
    ...bound,
    written: mapPair(bound.written, (shape) => resolveAmbiguousNames(shape, columns)),
    shapes: mapPair(bound.shapes, (shape) => resolveAmbiguousNames(shape, columns)),
  }
}

/** All sets of these names but the empty one. */
function subsetsOf(names: readonly string[]): readonly (readonly string[])[] {
  const sets: (readonly string[])[] = []
  for (const name of names) sets.push([name], ...sets.map((set) => [...set, name]))
  return sets
}
