import { cellKind } from '../cells/cell.js'
import { type CellTable, kindAt, numberAt } from '../cells/cell-table.js'
import type { ColumnMapping } from './column-mapping.js'

/** Maximal number of cells read in one search, which takes some seconds. */
const mostCells = 400_000_000

/** The result of a search. */
export interface ColumnSearch {
  readonly mapping: ColumnMapping | undefined
  /** Whether it stopped at its limit: another mapping may exist. */
  readonly isCut: boolean
}

/**
 * Finds a mapping of columns under which both tables contain the same rows cell by cell, in any order.
 * Columns are divided into classes by their content, rows by their content in columns of each class, and so
 * on until the classes no longer change (the colour refinement of Weisfeiler and Leman). If columns of one
 * class are not copies of one another, a column is put into its own class, paired with each of the others in
 * turn.
 */
export function mapColumnsByRefinement(
  expected: CellTable,
  actual: CellTable,
  accepts: (mapping: ColumnMapping) => boolean,
): ColumnSearch {
  const sides = [hashesOf(expected), hashesOf(actual)] as const
  const width = expected.columns.length
  const cost = 2 * width * Math.max(1, expected.rows)
  let left = mostCells

  function search(colours: Colours): ColumnMapping | undefined {
    const refined = refine(colours)
    const classes = refined === undefined ? undefined : classesOf(refined)
    if (refined === undefined || classes === undefined) return undefined
    const mapping = pairInOrder(classes, width)
    left -= cost
    if (accepts(mapping)) return mapping
    const open = classes.find(({ members }) => members.length > 1)
    const [chosen] = open?.members ?? []
    if (open === undefined || chosen === undefined) return undefined
    for (const candidate of open.candidates) {
      if (left <= 0) return undefined
      const found = search([individualize(refined[0], chosen), individualize(refined[1], candidate)])
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Returns the finest classes of columns; undefined if the two sides have different ones. */
  function refine(colours: Colours): Colours | undefined {
    let current = colours
    for (let known = 0; ; ) {
      const count = new Set(current[0]).size
      if (!sameMultiset(...current)) return undefined
      if (count === known || left <= 0) return current
      known = count
      left -= 2 * cost
      current = [
        columnColours(sides[0], current[0], expected.rows),
        columnColours(sides[1], current[1], actual.rows),
      ]
    }
  }

  const none = new Int32Array(width)
  const mapping = search([none, none])
  return { mapping, isCut: mapping === undefined && left <= 0 }
}

/** One number for each column, equal for columns of one class, on both sides. */
type Colours = readonly [Int32Array, Int32Array]

interface ColumnClass {
  readonly members: readonly number[]
  readonly candidates: readonly number[]
}

/** Returns a hash of each cell, by column. */
function hashesOf({ columns, rows, symbols }: CellTable): readonly Int32Array[] {
  const double = new Float64Array(1)
  const halves = new Int32Array(double.buffer)
  return columns.map((column) => {
    const hashes = new Int32Array(rows)
    for (let row = 0; row < rows; row++) {
      const kind = kindAt(column, row)
      const number = numberAt(column, row)
      double[0] = kind === cellKind.symbol ? symbols.groupOf(number) : number
      hashes[row] = mixHash(mixHash(kind + 1, halves[0] ?? 0), halves[1] ?? 0)
    }
    return hashes
  })
}

/**
 * Returns the next class of each column: from its own class, and its cells together with those beside them.
 */
function columnColours(
  columns: readonly Int32Array[],
  colours: Int32Array,
  rows: number,
): Int32Array<ArrayBuffer> {
  const ofRows = new Int32Array(rows)
  columns.forEach((hashes, at) => {
    const colour = colours[at] ?? 0
    for (let row = 0; row < rows; row++)
      ofRows[row] = ((ofRows[row] ?? 0) + mixHash(colour, hashes[row] ?? 0)) | 0
  })
  return Int32Array.from(columns, (hashes, at) => {
    let sum = 0
    for (let row = 0; row < rows; row++) sum = (sum + mixHash(ofRows[row] ?? 0, hashes[row] ?? 0)) | 0
    return mixHash(colours[at] ?? 0, sum)
  })
}

function individualize(colours: Int32Array, column: number): Int32Array {
  const copy = colours.slice()
  copy[column] = mixHash(copy[column] ?? 0, 1)
  return copy
}

function sameMultiset(one: Int32Array, other: Int32Array): boolean {
  const [left, right] = [one.slice().sort(), other.slice().sort()]
  return left.every((colour, at) => colour === right[at])
}

function classesOf([expected, actual]: Colours): readonly ColumnClass[] {
  const classes = new Map<number, { members: number[]; candidates: number[] }>()
  expected.forEach((colour, at) => {
    const known = classes.get(colour)
    if (known === undefined) classes.set(colour, { members: [at], candidates: [] })
    else known.members.push(at)
  })
  actual.forEach((colour, at) => {
    classes.get(colour)?.candidates.push(at)
  })
  return [...classes.values()]
}

/**
 * Pairs columns in order: columns of one class are mostly copies of one another, for which any pairing is
 * right.
 */
function pairInOrder(classes: readonly ColumnClass[], width: number): ColumnMapping {
  const mapping = new Array<number>(width).fill(0)
  for (const { members, candidates } of classes)
    members.forEach((member, at) => {
      mapping[member] = candidates[at] ?? 0
    })
  return mapping
}

/** Mixes hashes with the multiplication and shifts of MurmurHash3. */
function mixHash(hash: number, value: number): number {
  let next = Math.imul(value ^ 0x9e3779b9, 0xcc9e2d51)
  next = Math.imul((next << 15) | (next >>> 17), 0x1b873593) ^ hash
  next = Math.imul(next ^ (next >>> 16), 0x85ebca6b)
  return Math.imul(next ^ (next >>> 13), 0xc2b2ae35) ^ (next >>> 16)
}
