import { isFiniteNumber, isInexact, joinKeys, keysMatch, numberOf, numbersMatch } from './cell.js'
import { type Edge, largestMatching } from './flow.js'

/** A row as the keys of its cells. */
export type KeyRow = readonly string[]

/** Indexes of rows that no row of the other side matches, ascending. */
export interface Unmatched {
  readonly expected: readonly number[]
  readonly actual: readonly number[]
}

/** Pairs of near rows looked at in one comparison; only large results without any exact column come near it. */
const maxEdges = 4_000_000

/**
 * Matches two multisets of rows as far as they go. Tolerance is not transitive, so neither sorting nor hashing
 * decides it: rows are put into buckets by their exact cells, and in each bucket a largest matching is found.
 */
export function matchRows(
  expected: readonly KeyRow[],
  actual: readonly KeyRow[],
  tolerance: number,
): Unmatched {
  const inexact = inexactColumns(expected, actual)
  const buckets = new Map<string, Bucket>()
  expected.forEach((row, index) => {
    add(bucketFor(buckets, row, inexact).expected, row, index, inexact)
  })
  actual.forEach((row, index) => {
    add(bucketFor(buckets, row, inexact).actual, row, index, inexact)
  })
  const unmatched: { expected: number[]; actual: number[] } = { expected: [], actual: [] }
  const budget = { edges: maxEdges }
  for (const bucket of buckets.values()) matchBucket(bucket, tolerance, budget, unmatched)
  return { expected: unmatched.expected.sort(ascending), actual: unmatched.actual.sort(ascending) }
}

/** Rows that are equal in every cell, as one node. */
interface Node {
  /** Keys of the cells in inexact columns. */
  readonly keys: KeyRow
  readonly rows: number[]
}

interface Bucket {
  readonly expected: Map<string, Node>
  readonly actual: Map<string, Node>
}

/** Columns in which some number is no exact integer. */
function inexactColumns(expected: readonly KeyRow[], actual: readonly KeyRow[]): number[] {
  const found = new Set<number>()
  for (const rows of [expected, actual]) {
    for (const row of rows) {
      row.forEach((key, column) => {
        if (isInexact(key)) found.add(column)
      })
    }
  }
  return [...found].sort(ascending)
}

function bucketFor(buckets: Map<string, Bucket>, row: KeyRow, inexact: readonly number[]): Bucket {
  const exact =
    inexact.length === 0
      ? row
      : row.map((key, column) => (inexact.includes(column) && isFiniteNumber(key) ? '#' : key))
  const name = joinKeys(exact)
  let bucket = buckets.get(name)
  if (bucket === undefined) {
    bucket = { expected: new Map(), actual: new Map() }
    buckets.set(name, bucket)
  }
  return bucket
}

function add(nodes: Map<string, Node>, row: KeyRow, index: number, inexact: readonly number[]): void {
  const keys = inexact.map((column) => row[column] ?? 'n')
  const name = joinKeys(keys)
  const node = nodes.get(name)
  if (node === undefined) nodes.set(name, { keys, rows: [index] })
  else node.rows.push(index)
}

function matchBucket(
  bucket: Bucket,
  tolerance: number,
  budget: { edges: number },
  unmatched: { readonly expected: number[]; readonly actual: number[] },
): void {
  if (sameNodes(bucket)) return
  const left = [...bucket.expected.values()]
  const right = [...bucket.actual.values()]
  const edges = nearPairs(left, right, tolerance, budget)
  const flows = largestMatching(left.map(sizeOf), right.map(sizeOf), edges)
  const used = { left: left.map(() => 0), right: right.map(() => 0) }
  edges.forEach((edge, index) => {
    used.left[edge.left] = (used.left[edge.left] ?? 0) + (flows[index] ?? 0)
    used.right[edge.right] = (used.right[edge.right] ?? 0) + (flows[index] ?? 0)
  })
  left.forEach((node, index) => {
    unmatched.expected.push(...node.rows.slice(used.left[index]))
  })
  right.forEach((node, index) => {
    unmatched.actual.push(...node.rows.slice(used.right[index]))
  })
}

function sameNodes(bucket: Bucket): boolean {
  if (bucket.expected.size !== bucket.actual.size) return false
  for (const [name, node] of bucket.expected) {
    if (bucket.actual.get(name)?.rows.length !== node.rows.length) return false
  }
  return true
}

/** Nodes within tolerance of each other: a window over the most telling column, then all columns. */
function nearPairs(
  left: readonly Node[],
  right: readonly Node[],
  tolerance: number,
  budget: { edges: number },
): Edge[] {
  const column = mostDistinct(right)
  const numberAt = (node: Node | undefined) => {
    const key = node?.keys[column] ?? 'n'
    return isFiniteNumber(key) ? numberOf(key) : 0
  }
  const order = right.map((_, index) => index).sort((a, b) => numberAt(right[a]) - numberAt(right[b]))
  const numbers = order.map((index) => numberAt(right[index]))
  const edges: Edge[] = []
  left.forEach((node, index) => {
    const number = numberAt(node)
    const start = firstAtLeast(numbers, number)
    const near = (at: number) => {
      const other = numbers[at]
      return other !== undefined && numbersMatch(number, other, tolerance) && budget.edges > 0
    }
    const consider = (at: number) => {
      budget.edges--
      const target = order[at]
      const keys = target === undefined ? undefined : right[target]?.keys
      if (target === undefined || keys === undefined) return
      if (node.keys.every((key, i) => keysMatch(key, keys[i] ?? 'n', tolerance)))
        edges.push({ left: index, right: target })
    }
    for (let at = start; near(at); at++) consider(at)
    for (let at = start - 1; near(at); at--) consider(at)
  })
  return edges
}

function mostDistinct(nodes: readonly Node[]): number {
  const counts = (nodes[0]?.keys ?? []).map(
    (_, column) => new Set(nodes.map((node) => node.keys[column])).size,
  )
  return Math.max(0, counts.indexOf(Math.max(...counts)))
}

function firstAtLeast(numbers: readonly number[], number: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) < number) low = middle + 1
    else high = middle
  }
  return low
}

function sizeOf(node: Node): number {
  return node.rows.length
}

function ascending(a: number, b: number): number {
  return a - b
}
