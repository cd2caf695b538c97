import { type CellTable, rowsMatch, withColumns } from '../cells/cell-table.js'
import { matchWithTolerance, type Unmatched } from './match-with-tolerance.js'
import { bucketRows, type Groups, tolerantColumns } from './row-buckets.js'

/**
 * Matches two multisets of rows as far as possible. Tolerance is not transitive, so neither sorting nor
 * hashing suffices: rows are put into buckets by their exact cells, and a maximum matching is found in each
 * bucket.
 */
export function matchRows(expected: CellTable, actual: CellTable, tolerance: number): Unmatched {
  const loose = tolerantColumns(expected, actual)
  const buckets = bucketRows(expected, actual, new Set(loose))
  const near = { expected: withColumns(expected, loose), actual: withColumns(actual, loose) }
  const unmatched: { expected: number[]; actual: number[] } = { expected: [], actual: [] }
  let isCut = false
  for (let bucket = 0; bucket < buckets.count; bucket++) {
    const [left, leftSize] = extent(buckets.expected, bucket)
    const [right, rightSize] = extent(buckets.actual, bucket)
    if (leftSize === 1 && rightSize === 1) {
      const [one, other] = [buckets.expected.rows[left] ?? 0, buckets.actual.rows[right] ?? 0]
      if (rowsMatch(near.expected, one, near.actual, other, tolerance)) continue
      unmatched.expected.push(one)
      unmatched.actual.push(other)
      continue
    }
    const rows = {
      expected: buckets.expected.rows.subarray(left, left + leftSize),
      actual: buckets.actual.rows.subarray(right, right + rightSize),
    }
    if (loose.length === 0 || leftSize === 0 || rightSize === 0) {
      for (const row of rows.expected.subarray(rightSize)) unmatched.expected.push(row)
      for (const row of rows.actual.subarray(leftSize)) unmatched.actual.push(row)
      continue
    }
    const rest = matchWithTolerance(near.expected, near.actual, rows, tolerance)
    isCut ||= rest.isCut
    for (const row of rest.expected) unmatched.expected.push(row)
    for (const row of rest.actual) unmatched.actual.push(row)
  }
  return { expected: unmatched.expected.sort(ascending), actual: unmatched.actual.sort(ascending), isCut }
}

/** Returns where a bucket's rows start, and their number. */
function extent(groups: Groups, bucket: number): readonly [number, number] {
  const start = groups.starts[bucket] ?? 0
  return [start, (groups.starts[bucket + 1] ?? start) - start]
}

function ascending(a: number, b: number): number {
  return a - b
}
