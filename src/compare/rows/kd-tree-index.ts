import { cellKind, matchInterval } from '../cells/cell.js'
import { approximateNumberAt, type CellTable, kindAt, rowsMatch } from '../cells/cell-table.js'

/** Finds rows of one side near a row of the other one. Places are positions among the given rows. */
export interface KdTreeIndex {
  /** Returns all places, from which single ones are removed. */
  all(): RemainingPlaces
  /** Returns one of the remaining places whose row matches `row`; -1 if there is none. */
  find(row: number, places: RemainingPlaces): number
  /** Number of nodes and rows visited so far. */
  readonly steps: number
}

export interface RemainingPlaces {
  /** For each tree, the number of remaining places below each of its nodes. */
  readonly counts: readonly Int32Array[]
  readonly isLeft: Uint8Array
  take(place: number): void
}

/** Number of columns that the index uses; the others are compared if these are near. */
const mostDimensions = 8
/** Nodes with fewer rows are not divided. */
const leafRows = 8
/** Number of trees, one for each combination of columns with integers. */
const mostTrees = 16

/**
 * Creates an index of `rows` of the table: k-d trees (Bentley 1975), whose nodes store the least and the
 * greatest number below them. Integers and other numbers are in different trees, since no two different
 * integers match.
 */
export function createKdTreeIndex(
  other: CellTable,
  table: CellTable,
  rows: Int32Array,
  tolerance: number,
): KdTreeIndex {
  const dimensions = mostSelectiveColumns(table, rows)
  const numbers = dimensions.map((at) => numbersOf(table, at, rows))
  const trees = groupByIntegerPattern(table, dimensions, rows).map(({ pattern, places }) => ({
    pattern,
    ...buildTree(places, numbers, tolerance),
  }))
  const home = { tree: new Uint8Array(rows.length), leaf: new Int32Array(rows.length) }
  trees.forEach(({ nodes, order }, tree) => {
    nodes.forEach(({ start, end, right }, node) => {
      if (right >= 0) return
      for (let at = start; at < end; at++) {
        home.tree[order[at] ?? 0] = tree
        home.leaf[order[at] ?? 0] = node
      }
    })
  })
  const [low, high] = [new Float64Array(dimensions.length), new Float64Array(dimensions.length)]
  let steps = 0

  function search(tree: Tree, node: number, row: number, counts: Int32Array, isLeft: Uint8Array): number {
    const found = tree.nodes[node]
    if (found === undefined || counts[node] === 0) return -1
    steps++
    for (let at = 0; at < low.length; at++) {
      if ((found.least[at] ?? 0) > (high[at] ?? 0) || (found.greatest[at] ?? 0) < (low[at] ?? 0)) return -1
    }
    if (found.right < 0) {
      for (let at = found.start; at < found.end; at++) {
        const place = tree.order[at] ?? 0
        if (isLeft[place] === 0) continue
        steps++
        if (rowsMatch(other, row, table, rows[place] ?? 0, tolerance)) return place
      }
      return -1
    }
    // A nearer row is more likely to be the partner.
    const middle = ((low[found.axis] ?? 0) + (high[found.axis] ?? 0)) / 2
    const [first, second] = middle < found.split ? [node + 1, found.right] : [found.right, node + 1]
    const near = search(tree, first, row, counts, isLeft)
    return near >= 0 ? near : search(tree, second, row, counts, isLeft)
  }

  return {
    all() {
      const counts = trees.map(({ nodes }) => Int32Array.from(nodes, ({ start, end }) => end - start))
      const isLeft = new Uint8Array(rows.length).fill(1)
      return {
        counts,
        isLeft,
        take(place) {
          isLeft[place] = 0
          const tree = home.tree[place] ?? 0
          const own = counts[tree]
          for (let node = home.leaf[place] ?? 0; own !== undefined && node >= 0; ) {
            own[node] = (own[node] ?? 0) - 1
            node = trees[tree]?.nodes[node]?.parent ?? -1
          }
        },
      }
    },
    find(row, { counts, isLeft }) {
      for (const [at, tree] of trees.entries()) {
        const own = counts[at]
        if (own === undefined || own[0] === 0) continue
        dimensions.forEach((column, axis) => {
          const cells = other.columns[column]
          if (cells === undefined) return
          const number = approximateNumberAt(cells, row, other.symbols)
          const isExact = (tree.pattern & (1 << axis)) !== 0 && isInteger(kindAt(cells, row))
          const [from, to] = isExact ? [number, number] : matchInterval(number, tolerance)
          low[axis] = from
          high[axis] = to
        })
        const place = search(tree, 0, row, own, isLeft)
        if (place >= 0) return place
      }
      return -1
    },
    get steps() {
      return steps
    },
  }
}

function isInteger(kind: number): boolean {
  return kind === cellKind.integer || kind === cellKind.bigInteger
}

function numbersOf(table: CellTable, at: number, rows: Int32Array): Float64Array {
  const column = table.columns[at]
  return Float64Array.from(rows, (row) =>
    column === undefined ? 0 : approximateNumberAt(column, row, table.symbols),
  )
}

/** Returns the columns with the most different numbers. */
function mostSelectiveColumns(table: CellTable, rows: Int32Array): readonly number[] {
  return [...table.columns.keys()]
    .map((at) => ({ at, count: new Set(numbersOf(table, at, rows)).size }))
    .sort((a, b) => b.count - a.count)
    .slice(0, mostDimensions)
    .map(({ at }) => at)
}

interface PatternPlaces {
  /** A bit for each dimension in which all rows have integers. */
  readonly pattern: number
  readonly places: Int32Array
}

function groupByIntegerPattern(
  table: CellTable,
  dimensions: readonly number[],
  rows: Int32Array,
): readonly PatternPlaces[] {
  const found = new Map<number, number[]>()
  rows.forEach((row, place) => {
    const pattern = dimensions.reduce((bits, at, axis) => {
      const column = table.columns[at]
      return column !== undefined && isInteger(kindAt(column, row)) ? bits | (1 << axis) : bits
    }, 0)
    const known = found.get(pattern)
    if (known === undefined) found.set(pattern, [place])
    else known.push(place)
  })
  if (found.size > mostTrees) return [{ pattern: 0, places: Int32Array.from(rows.keys()) }]
  return [...found].map(([pattern, places]) => ({ pattern, places: Int32Array.from(places) }))
}

/** The left child of a node follows it; `right` is -1 in a leaf. */
interface TreeNode {
  readonly start: number
  readonly end: number
  readonly parent: number
  readonly least: Float64Array
  readonly greatest: Float64Array
  readonly axis: number
  readonly split: number
  right: number
}

interface Tree {
  readonly order: Int32Array
  readonly nodes: readonly TreeNode[]
}

function buildTree(order: Int32Array, numbers: readonly Float64Array[], tolerance: number): Tree {
  const nodes: TreeNode[] = []

  function build(start: number, end: number, parent: number): void {
    const [least, greatest] = [new Float64Array(numbers.length), new Float64Array(numbers.length)]
    let [axis, widest] = [0, 0]
    numbers.forEach((column, at) => {
      let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
      for (let place = start; place < end; place++) {
        const number = column[order[place] ?? 0] ?? 0
        if (number < low) low = number
        if (number > high) high = number
      }
      least[at] = low
      greatest[at] = high
      // In units of the tolerance: a wide column of large numbers may be less selective than a narrow one.
      const [from, to] = matchInterval(Math.max(Math.abs(low), Math.abs(high)), Math.min(tolerance, 0.5))
      const width = (high - low) / (to - from)
      if (width > widest) [axis, widest] = [at, width]
    })
    const node = nodes.length
    const column = numbers[axis]
    const isLeaf = end - start <= leafRows || widest === 0 || column === undefined
    const middle = (start + end) >> 1
    if (!isLeaf) quickselect(order, start, end - 1, middle, column)
    const split = isLeaf ? 0 : (column[order[middle] ?? 0] ?? 0)
    nodes.push({ start, end, parent, least, greatest, axis, split, right: -1 })
    if (isLeaf) return
    build(start, middle, node)
    const own = nodes[node]
    if (own !== undefined) own.right = nodes.length
    build(middle, end, node)
  }

  if (order.length > 0) build(0, order.length, -1)
  return { order, nodes }
}

/**
 * Partitions places with Hoare's quickselect: afterwards, those before `middle` have no greater numbers than
 * the one at `middle`.
 */
function quickselect(
  order: Int32Array,
  from: number,
  to: number,
  middle: number,
  numbers: Float64Array,
): void {
  const at = (place: number): number => numbers[order[place] ?? 0] ?? 0
  for (let [left, right] = [from, to]; left < right; ) {
    const pivot = at((left + right) >> 1)
    let [i, j] = [left, right]
    while (i <= j) {
      while (at(i) < pivot) i++
      while (at(j) > pivot) j--
      if (i > j) break
      const moved = order[i] ?? 0
      order[i++] = order[j] ?? 0
      order[j--] = moved
    }
    if (middle <= j) right = j
    else if (middle >= i) left = i
    else return
  }
}
