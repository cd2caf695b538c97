import type { BoundPair } from './query-pair.js'
import type { StructuralComparison } from './structural-comparison.js'

type Bound = BoundPair & { kind: 'bound' }

/** More columns than this are not tried one by one. */
const maxColumns = 4

/**
 * Compares queries in which a subquery names a column without its table, which is a column of a query around it where the
 * table has none: equal without an assumption only where they are equal so too.
 */
export function compareOuterReadings(
  bound: Bound,
  compare: (read: Bound) => StructuralComparison,
): StructuralComparison {
  const finding = compare(bound)
  const { open, asOuter } = bound
  if (open.length === 0 || (finding.kind !== 'equal' && finding.kind !== 'equal_if')) return finding
  const wanted = finding.assumptions?.join()
  const isOpen = (columns: readonly string[]): boolean => {
    const read = compare(asOuter(new Set(columns)))
    return read.kind !== 'equal' && (read.kind !== 'equal_if' || read.assumptions.join() !== wanted)
  }
  const decisive = open.length > maxColumns ? [] : open.filter((column) => isOpen([column]))
  if (decisive.length === 0 && (open.length === 1 || !isOpen(open))) return finding
  const assumed = (decisive.length > 0 ? decisive : open).map(
    (column) => `${column} is a column of this query, not of an outer query`,
  )
  return {
    kind: 'equal_if',
    assumptions: [...assumed, ...(finding.assumptions ?? [])],
    differences: finding.kind === 'equal_if' ? finding.differences : [],
  }
}
