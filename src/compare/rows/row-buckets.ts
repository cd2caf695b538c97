import { cellKind, temporalTag, tolerantTags } from '../cells/cell.js'
import {
  type CellColumn,
  type CellTable,
  isNumeric,
  kindAt,
  numberAt,
  sameCell,
  tagAt,
} from '../cells/cell-table.js'
import type { SymbolTable } from '../cells/symbol-table.js'

/**
 * Rows of one side by bucket: those of bucket `b` are `rows[starts[b]]` up to `rows[starts[b + 1]]`,
 * ascending.
 */
export interface Groups {
  readonly starts: Int32Array
  readonly rows: Int32Array
}

/**
 * Rows that may match one another share a bucket: they are equal in everything that tolerance does not
 * affect.
 */
export interface Buckets {
  readonly count: number
  readonly expected: Groups
  readonly actual: Groups
}

/**
 * Returns the columns in which different cells may match: on either side, some number is not an exact
 * integer, also within a list, or a day or timestamp is among texts.
 */
export function tolerantColumns(expected: CellTable, actual: CellTable): number[] {
  return [...expected.columns.keys()].filter((at) => {
    let [moments, texts] = [false, false]
    for (const table of [expected, actual]) {
      const column = table.columns[at]
      if (column === undefined) continue
      for (let row = 0; row < table.rows; row++) {
        const kind = kindAt(column, row)
        if (kind === cellKind.inexact) return true
        if (kind !== cellKind.symbol) continue
        const tag = tagAt(column, row)
        if ((tag & tolerantTags & ~temporalTag) !== 0) return true
        if ((tag & temporalTag) !== 0) moments = true
        else if (numberAt(column, row) >= 0) texts = true
        if (moments && texts) return true
      }
    }
    return false
  })
}

/** Puts the rows of both sides into buckets by a hash table that keeps one row for each. */
export function bucketRows(expected: CellTable, actual: CellTable, loose: ReadonlySet<number>): Buckets {
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(1.5 * (expected.rows + actual.rows) + 2)))
  const mask = slots.length - 1
  const bucketOf = { expected: new Int32Array(expected.rows), actual: new Int32Array(actual.rows) }
  const hashes = { expected: rowHashes(expected, loose), actual: rowHashes(actual, loose) }
  /** The first row of a bucket: of the expected side, or `~row` of the actual one. */
  const first = new Int32Array(expected.rows + actual.rows)
  let count = 0

  function place(side: 'expected' | 'actual', table: CellTable): void {
    for (let row = 0; row < table.rows; row++) {
      const hash = hashes[side][row] ?? 0
      for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
        const bucket = (slots[slot] ?? 0) - 1
        if (bucket < 0) {
          first[count] = side === 'expected' ? row : ~row
          bucketOf[side][row] = count
          slots[slot] = ++count
          break
        }
        const other = first[bucket] ?? 0
        const otherRow = other < 0 ? ~other : other
        if ((other < 0 ? hashes.actual : hashes.expected)[otherRow] !== hash) continue
        if (!sameBucket(table, row, other < 0 ? actual : expected, otherRow, loose)) continue
        bucketOf[side][row] = bucket
        break
      }
    }
  }

  place('expected', expected)
  place('actual', actual)
  return {
    count,
    expected: groupByBucket(bucketOf.expected, count),
    actual: groupByBucket(bucketOf.actual, count),
  }
}

function sameBucket(
  a: CellTable,
  rowA: number,
  b: CellTable,
  rowB: number,
  loose: ReadonlySet<number>,
): boolean {
  for (let at = 0; at < a.columns.length; at++) {
    const [left, right] = [a.columns[at], b.columns[at]]
    if (left === undefined || right === undefined) return false
    if (sameCell(left, rowA, right, rowB)) continue
    if (!loose.has(at)) return false
    const isNumber = isNumeric(left, rowA)
    if (isNumber !== isNumeric(right, rowB)) return false
    const groupOf = a.symbols.groupOf
    if (!isNumber && groupOf(numberAt(left, rowA)) !== groupOf(numberAt(right, rowB))) return false
  }
  return true
}

function rowHashes(table: CellTable, loose: ReadonlySet<number>): Int32Array {
  const hashes = new Int32Array(table.rows)
  table.columns.forEach((column, at) => {
    if (loose.has(at)) mixGroups(column, table.symbols, hashes)
    else mixCells(column, hashes)
  })
  return hashes
}

function mixCells(column: CellColumn, hashes: Int32Array): void {
  for (let row = 0; row < hashes.length; row++) {
    hashes[row] = mixHash(hashes[row] ?? 0, numberAt(column, row), kindAt(column, row))
  }
}

/**
 * Mixes groups into hashes: numbers all count as one, and texts as the day or timestamp that they represent.
 */
function mixGroups(column: CellColumn, symbols: SymbolTable, hashes: Int32Array): void {
  for (let row = 0; row < hashes.length; row++) {
    const numeric = isNumeric(column, row)
    const group = numeric ? 0 : symbols.groupOf(numberAt(column, row))
    hashes[row] = mixHash(hashes[row] ?? 0, group, numeric ? 1 : 0)
  }
}

/** Mixes hashes with the multiplication and shifts of MurmurHash3, over both halves of an integer. */
function mixHash(hash: number, number: number, kind: number): number {
  let value = Math.imul(hash ^ (number | 0), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 15) ^ ((number / 0x1_0000_0000) | 0) ^ kind, 0xc2b2ae35)
  return value ^ (value >>> 13)
}

/** Groups rows by bucket with a counting sort. */
function groupByBucket(bucketOf: Int32Array, count: number): Groups {
  const starts = new Int32Array(count + 1)
  for (const bucket of bucketOf) starts[bucket + 1] = (starts[bucket + 1] ?? 0) + 1
  for (let bucket = 0; bucket < count; bucket++)
    starts[bucket + 1] = (starts[bucket + 1] ?? 0) + (starts[bucket] ?? 0)
  const next = starts.slice(0, count)
  const rows = new Int32Array(bucketOf.length)
  bucketOf.forEach((bucket, row) => {
    const at = next[bucket] ?? 0
    rows[at] = row
    next[bucket] = at + 1
  })
  return { starts, rows }
}
