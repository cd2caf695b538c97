import { booleanTag, cellKind, matchInterval } from '../cells/cell.js'
import {
  approximateNumberAt,
  type CellTable,
  isNumeric,
  kindAt,
  rowsMatch,
  tagAt,
} from '../cells/cell-table.js'
import { createKdTreeIndex } from './kd-tree-index.js'

/** Indexes of rows that no row of the other side matches, ascending. */
export interface Unmatched {
  readonly expected: readonly number[]
  readonly actual: readonly number[]
  /** Whether the search stopped at its limit: the true number of unmatched rows may be smaller. */
  readonly isCut: boolean
}

/** Rows of one bucket on both sides. */
export interface BucketRows {
  readonly expected: Int32Array
  readonly actual: Int32Array
}

/** Maximal number of nodes and rows visited for one bucket, which takes some seconds. */
const mostSteps = 400_000_000

/**
 * Returns a maximum matching of rows that are equal except for numbers within the tolerance; the tables
 * contain the columns of these numbers. Traversing both sides in order finds it in most cases; the rest is
 * matched by augmenting paths.
 */
export function matchWithTolerance(
  expected: CellTable,
  actual: CellTable,
  rows: BucketRows,
  tolerance: number,
): Unmatched {
  const sorted = { expected: sortedRows(expected, rows.expected), actual: sortedRows(actual, rows.actual) }
  if (matchesPairwise(expected, actual, sorted, tolerance)) return { expected: [], actual: [], isCut: false }
  const mates = matchInOrder(expected, actual, sorted, tolerance)
  const isCut =
    !isOrderedMatchingMaximum(expected, actual, rows, tolerance) &&
    augmentMatching(expected, actual, sorted, mates, tolerance)
  return {
    expected: [...sorted.expected.filter((_, at) => mates.expected[at] === -1)],
    actual: [...sorted.actual.filter((_, at) => mates.actual[at] === -1)],
    isCut,
  }
}

/** Sorts rows by their numbers, column by column; equal rows by their place. */
function sortedRows(table: CellTable, rows: Int32Array): Int32Array {
  return rows.slice().sort((a, b) => compareRows(table, a, b) || a - b)
}

function compareRows(table: CellTable, a: number, b: number): number {
  for (const column of table.columns) {
    const [one, other] = [
      approximateNumberAt(column, a, table.symbols),
      approximateNumberAt(column, b, table.symbols),
    ]
    if (one !== other) return one < other ? -1 : 1
    // Big integers that share a double, and numbers that equal an integer.
    const [tag, otherTag] = [tagAt(column, a), tagAt(column, b)]
    if (tag !== otherTag) return tag - otherTag
    const [exact, otherExact] = [column.numbers[a] ?? 0, column.numbers[b] ?? 0]
    if (exact !== otherExact) return exact < otherExact ? -1 : 1
  }
  return 0
}

function matchesPairwise(
  expected: CellTable,
  actual: CellTable,
  sorted: BucketRows,
  tolerance: number,
): boolean {
  if (sorted.expected.length !== sorted.actual.length) return false
  return sorted.expected.every((row, at) =>
    rowsMatch(expected, row, actual, sorted.actual[at] ?? 0, tolerance),
  )
}

/** For each place of a side, the matched place of the other side; -1: none. */
interface Matching {
  readonly expected: Int32Array
  readonly actual: Int32Array
}

/**
 * Matches pairs while both sides are traversed in the order of the first column. In a single column without
 * integers the result is a maximum matching: the numbers that match one lie in an interval, and intervals are
 * ordered like the rows.
 */
function matchInOrder(
  expected: CellTable,
  actual: CellTable,
  sorted: BucketRows,
  tolerance: number,
): Matching {
  const mates = {
    expected: new Int32Array(sorted.expected.length).fill(-1),
    actual: new Int32Array(sorted.actual.length).fill(-1),
  }
  const [column, other] = [expected.columns[0], actual.columns[0]]
  if (column === undefined || other === undefined) return mates
  for (let i = 0, j = 0; i < sorted.expected.length && j < sorted.actual.length; ) {
    const [row, otherRow] = [sorted.expected[i] ?? 0, sorted.actual[j] ?? 0]
    if (rowsMatch(expected, row, actual, otherRow, tolerance)) {
      mates.expected[i] = j
      mates.actual[j++] = i++
    } else if (
      approximateNumberAt(column, row, expected.symbols) <=
      approximateNumberAt(other, otherRow, actual.symbols)
    )
      i++
    else j++
  }
  return mates
}

/**
 * Reports whether the traversal finds a maximum matching: one column of numbers, in which no two integers are
 * near and yet not equal.
 */
function isOrderedMatchingMaximum(
  expected: CellTable,
  actual: CellTable,
  rows: BucketRows,
  tolerance: number,
): boolean {
  const [column] = expected.columns
  if (column === undefined || expected.columns.length > 1 || tolerance >= 0.5) return false
  if (!isNumeric(column, rows.expected[0] ?? 0)) return false
  if (hasBoolean(expected, rows.expected) || hasBoolean(actual, rows.actual)) return false
  // A big integer matches one double, its neighbours many.
  if (hasBigInteger(expected, rows.expected) || hasBigInteger(actual, rows.actual)) return false
  return (
    !hasLargeInteger(expected, rows.expected, tolerance) || !hasLargeInteger(actual, rows.actual, tolerance)
  )
}

/** Reports whether there is a boolean: unlike 1, true has no tolerance. */
function hasBoolean(table: CellTable, rows: Int32Array): boolean {
  const [column] = table.columns
  return column !== undefined && rows.some((row) => (tagAt(column, row) & booleanTag) !== 0)
}

function hasBigInteger(table: CellTable, rows: Int32Array): boolean {
  const [column] = table.columns
  return column !== undefined && rows.some((row) => kindAt(column, row) === cellKind.bigInteger)
}

function hasLargeInteger(table: CellTable, rows: Int32Array, tolerance: number): boolean {
  const [column] = table.columns
  if (column === undefined) return false
  return rows.some((row) => {
    if (kindAt(column, row) === cellKind.inexact) return false
    const number = approximateNumberAt(column, row, table.symbols)
    const [low, high] = matchInterval(Math.abs(number) + 1, tolerance)
    return high - low >= 2
  })
}

/**
 * Extends a matching to a maximum one by augmenting paths: depth first, all paths of a round together, with a
 * search for free rows at each step (Pothen and Fan 1990). Neighbours are found by an index and never listed,
 * and in one round each row is visited once, so that a round takes little more than its rows. True if it
 * stopped at its limit.
 */
function augmentMatching(
  expected: CellTable,
  actual: CellTable,
  sorted: BucketRows,
  mates: Matching,
  tolerance: number,
): boolean {
  const index = createKdTreeIndex(expected, actual, sorted.actual, tolerance)
  const free = index.all()
  mates.actual.forEach((mate, place) => {
    if (mate !== -1) free.take(place)
  })

  function extend(start: number, unvisited: ReturnType<typeof index.all>): boolean {
    /** Left places on the path, and the right place through which each was reached. */
    const way = [{ place: start, through: -1 }]
    for (let step = way.at(-1); step !== undefined && index.steps < mostSteps; step = way.at(-1)) {
      const row = sorted.expected[step.place] ?? 0
      const end = index.find(row, free)
      if (end !== -1) {
        free.take(end)
        let next = end
        for (const { place, through } of way.toReversed()) {
          mates.expected[place] = next
          mates.actual[next] = place
          next = through
        }
        return true
      }
      const through = index.find(row, unvisited)
      if (through === -1) way.pop()
      else {
        unvisited.take(through)
        way.push({ place: mates.actual[through] ?? -1, through })
      }
    }
    return false
  }

  for (let isLonger = true; isLonger; ) {
    isLonger = false
    const unvisited = index.all()
    for (let place = 0; place < mates.expected.length; place++) {
      if (index.steps >= mostSteps) return true
      if (mates.expected[place] === -1 && extend(place, unvisited)) isLonger = true
    }
  }
  return false
}
