import { booleanTag, cellKind, reachOf } from './cell.js'
import { type CellTable, isNumeric, kindAt, numericAt, rowsMatch, tagAt } from './cell-table.js'
import { createEdges, type Edges, largestMatching } from './flow.js'

/** Indexes of rows that no row of the other side matches, ascending. */
export interface Unmatched {
  readonly expected: readonly number[]
  readonly actual: readonly number[]
}

/** Rows of one bucket on both sides. */
export interface BucketRows {
  readonly expected: Int32Array
  readonly actual: Int32Array
}

/** Edges of one bucket, and pairs looked at for them; where all is near to all, each row keeps its nearest ones. */
const maxEdges = 1_000_000
const maxPairs = 200_000_000
/** So many neighbours are kept and looked at in any case. */
const leastEdges = 16
const leastPairs = 256

/**
 * A largest matching of rows that are equal but for numbers under tolerance; the tables hold the columns of these.
 * Walking both sides in order finds it in most cases; what it leaves goes to the maximum flow.
 */
export function matchNear(
  expected: CellTable,
  actual: CellTable,
  rows: BucketRows,
  tolerance: number,
): Unmatched {
  const sorted = { expected: inOrder(expected, rows.expected), actual: inOrder(actual, rows.actual) }
  if (allPairs(expected, actual, sorted, tolerance)) return { expected: [], actual: [] }
  const left = nodesOf(expected, sorted.expected)
  const right = nodesOf(actual, sorted.actual)
  const edges = createEdges()
  walk(expected, actual, left, right, tolerance, edges)
  if (!walkDecides(expected, actual, rows, tolerance)) {
    addNearPairs(expected, actual, left, right, tolerance, edges)
  }
  const flows = largestMatching(left.map(sizeOf), right.map(sizeOf), edges)
  const used = { left: new Int32Array(left.length), right: new Int32Array(right.length) }
  flows.forEach((flow, edge) => {
    const [from, to] = [edges.left[edge] ?? 0, edges.right[edge] ?? 0]
    used.left[from] = (used.left[from] ?? 0) + flow
    used.right[to] = (used.right[to] ?? 0) + flow
  })
  return {
    expected: left.flatMap((node, index) => node.slice(used.left[index])),
    actual: right.flatMap((node, index) => node.slice(used.right[index])),
  }
}

/** Rows that are equal in every cell, ascending: they are one node with as much capacity. */
type Node = readonly number[]

function sizeOf(node: Node): number {
  return node.length
}

/** By their numbers, column by column; equal rows by their place. */
function inOrder(table: CellTable, rows: Int32Array): Int32Array {
  return rows.slice().sort((a, b) => compareRows(table, a, b) || a - b)
}

function compareRows(table: CellTable, a: number, b: number): number {
  for (const column of table.columns) {
    const [one, other] = [numericAt(column, a, table.symbols), numericAt(column, b, table.symbols)]
    if (one !== other) return one < other ? -1 : 1
    // Big integers that share a double, and numbers that an integer equals.
    const [tag, otherTag] = [tagAt(column, a), tagAt(column, b)]
    if (tag !== otherTag) return tag - otherTag
    const [exact, otherExact] = [column.numbers[a] ?? 0, column.numbers[b] ?? 0]
    if (exact !== otherExact) return exact < otherExact ? -1 : 1
  }
  return 0
}

function allPairs(expected: CellTable, actual: CellTable, sorted: BucketRows, tolerance: number): boolean {
  if (sorted.expected.length !== sorted.actual.length) return false
  return sorted.expected.every((row, at) =>
    rowsMatch(expected, row, actual, sorted.actual[at] ?? 0, tolerance),
  )
}

function nodesOf(table: CellTable, sorted: Int32Array): Node[] {
  const nodes: number[][] = []
  let last = -1
  for (const row of sorted) {
    const node = nodes.at(-1)
    if (node !== undefined && compareRows(table, last, row) === 0) node.push(row)
    else nodes.push([row])
    last = row
  }
  return nodes
}

/**
 * Pairs that meet while both sides are walked in the order of the first column. In a single column without integers
 * they are a largest matching: what matches lies in an interval, and intervals follow one another as the rows do.
 */
function walk(
  expected: CellTable,
  actual: CellTable,
  left: readonly Node[],
  right: readonly Node[],
  tolerance: number,
  edges: Edges,
): void {
  const [column, other] = [expected.columns[0], actual.columns[0]]
  if (column === undefined || other === undefined) return
  const room = { left: left.map(sizeOf), right: right.map(sizeOf) }
  for (let i = 0, j = 0; i < left.length && j < right.length; ) {
    const [row, otherRow] = [left[i]?.[0] ?? 0, right[j]?.[0] ?? 0]
    const [free, otherFree] = [room.left[i] ?? 0, room.right[j] ?? 0]
    if (rowsMatch(expected, row, actual, otherRow, tolerance)) {
      edges.add(i, j)
      room.left[i] = Math.max(0, free - otherFree)
      room.right[j] = Math.max(0, otherFree - free)
      if (free <= otherFree) i++
      if (otherFree <= free) j++
    } else if (numericAt(column, row, expected.symbols) <= numericAt(other, otherRow, actual.symbols)) i++
    else j++
  }
}

/** Whether walking finds a largest matching: one column of numbers, in which no two integers are near and yet not equal. */
function walkDecides(expected: CellTable, actual: CellTable, rows: BucketRows, tolerance: number): boolean {
  const [column] = expected.columns
  if (column === undefined || expected.columns.length > 1 || tolerance >= 0.5) return false
  if (!isNumeric(column, rows.expected[0] ?? 0)) return false
  return (
    !hasLargeInteger(expected, rows.expected, tolerance) || !hasLargeInteger(actual, rows.actual, tolerance)
  )
}

function hasLargeInteger(table: CellTable, rows: Int32Array, tolerance: number): boolean {
  const [column] = table.columns
  if (column === undefined) return false
  return rows.some((row) => {
    if (kindAt(column, row) === cellKind.inexact) return false
    // True is near nothing, and 1 is.
    if ((tagAt(column, row) & booleanTag) !== 0) return true
    const number = numericAt(column, row, table.symbols)
    const [low, high] = reachOf(Math.abs(number) + 1, tolerance)
    return high - low >= 2
  })
}

/** Every pair within tolerance: a window over the most telling column, from its middle outwards, then all columns. */
function addNearPairs(
  expected: CellTable,
  actual: CellTable,
  left: readonly Node[],
  right: readonly Node[],
  tolerance: number,
  edges: Edges,
): void {
  const at = mostDistinct(actual, right)
  const [column, other] = [expected.columns[at], actual.columns[at]]
  if (column === undefined || other === undefined) return
  const numberOf = (index: number) => numericAt(other, right[index]?.[0] ?? 0, actual.symbols)
  const unsorted = Float64Array.from(right, (_, index) => numberOf(index))
  const order = Int32Array.from(right.keys()).sort((a, b) => (unsorted[a] ?? 0) - (unsorted[b] ?? 0))
  const numbers = Float64Array.from(order, (index) => unsorted[index] ?? 0)
  const edgesLeft = Math.max(leastEdges, Math.floor(maxEdges / left.length))
  const pairsLeft = Math.max(leastPairs, Math.floor(maxPairs / left.length))
  left.forEach((node, index) => {
    const row = node[0] ?? 0
    const number = numericAt(column, row, expected.symbols)
    const [low, high] = reachOf(number, tolerance)
    const start = firstAtLeast(numbers, number)
    const room = { edges: edgesLeft, pairs: pairsLeft }
    const consider = (place: number): void => {
      const target = order[place] ?? 0
      room.pairs--
      if (!rowsMatch(expected, row, actual, right[target]?.[0] ?? 0, tolerance)) return
      edges.add(index, target)
      room.edges--
    }
    let [up, down] = [start, start - 1]
    while (room.edges > 0 && room.pairs > 0) {
      const above = up < numbers.length && (numbers[up] ?? 0) <= high
      const below = down >= 0 && (numbers[down] ?? 0) >= low
      if (!above && !below) return
      if (above) consider(up++)
      if (below) consider(down--)
    }
  })
}

function mostDistinct(table: CellTable, nodes: readonly Node[]): number {
  const counts = table.columns.map(
    (column) => new Set(nodes.map((node) => numericAt(column, node[0] ?? 0, table.symbols))).size,
  )
  return Math.max(0, counts.indexOf(Math.max(...counts)))
}

function firstAtLeast(numbers: Float64Array, number: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) < number) low = middle + 1
    else high = middle
  }
  return low
}
