import type { Column, Value } from '../../engine/contract/engine.js'
import {
  booleanTag,
  cellKind,
  encodeCell,
  kindMask,
  nestedTag,
  numbersMatch,
  numericCellsMatch,
  toDouble,
  toleranceBetween,
  tolerantTags,
} from './cell.js'
import type { Cell, SymbolTable } from './symbol-table.js'

/** Cells of one column in the compact form of `cell.ts`, nine bytes each. */
export interface CellColumn {
  readonly tags: Uint8Array
  readonly numbers: Float64Array
}

/**
 * Rows stored by column: a million rows of eight columns take 75 MB, and five times that as arrays of values.
 */
export interface CellTable {
  readonly rows: number
  readonly columns: readonly CellColumn[]
  readonly symbols: SymbolTable
}

/** Builds a table row by row. */
export interface TableBuilder {
  add(row: readonly Value[]): void
  build(): CellTable
}

const firstCapacity = 64

/**
 * Creates a table builder. In a column of unknown type, texts may be days and timestamps: JSON cannot
 * represent them otherwise.
 *
 * @param size rows to expect: to grow a table while millions of values are in memory costs a collection of these each time
 */
export function createTableBuilder(
  types: readonly Column[],
  symbols: SymbolTable,
  size: number = firstCapacity,
): TableBuilder {
  const width = types.length
  const columns = types.map(({ type }) => ({
    isTyped: type !== '',
    tags: new Uint8Array(size),
    numbers: new Float64Array(size),
  }))
  const cell: Cell = { tag: 0, number: 0 }
  let rows = 0
  let capacity = size
  return {
    add(row) {
      if (rows === capacity) {
        capacity = Math.max(firstCapacity, 2 * capacity)
        for (const column of columns) {
          column.tags = grow(column.tags, new Uint8Array(capacity))
          column.numbers = grow(column.numbers, new Float64Array(capacity))
        }
      }
      for (let at = 0; at < width; at++) {
        const column = columns[at]
        if (column === undefined) continue
        encodeCell(row[at] ?? null, symbols, cell, column.isTyped)
        column.tags[rows] = cell.tag
        column.numbers[rows] = cell.number
      }
      rows++
    },
    build: () => ({ rows, columns, symbols }),
  }
}

/** Returns the table with other columns, or the same in another order; nothing is copied. */
export function withColumns(table: CellTable, mapping: readonly number[]): CellTable {
  const columns = mapping.map((at) => table.columns[at]).filter((column) => column !== undefined)
  return { ...table, columns }
}

export function tagAt(column: CellColumn, row: number): number {
  return column.tags[row] ?? 0
}

export function numberAt(column: CellColumn, row: number): number {
  return column.numbers[row] ?? 0
}

export function kindAt(column: CellColumn, row: number): number {
  return tagAt(column, row) & kindMask
}

/** Reports whether tolerance may apply to the cell: it is a finite number. */
export function isNumeric(column: CellColumn, row: number): boolean {
  return kindAt(column, row) !== cellKind.symbol
}

/**
 * Returns the number by which a cell's distance to others is measured: that of a numeric cell, the nearest
 * double beyond 2^53; the first one of a list; 0 for other cells.
 */
export function approximateNumberAt(column: CellColumn, row: number, symbols: SymbolTable): number {
  const [tag, number] = [tagAt(column, row), numberAt(column, row)]
  const kind = tag & kindMask
  if (kind === cellKind.bigInteger) return symbols.approximate(number)
  if (kind !== cellKind.symbol) return number
  const [first] = (tag & nestedTag) === 0 ? [] : symbols.numbersOf(number)
  return first === undefined || (first.tag & kindMask) === cellKind.symbol ? 0 : toDouble(first, symbols)
}

/** Reports whether two cells are equal, without tolerance. */
export function sameCell(a: CellColumn, rowA: number, b: CellColumn, rowB: number): boolean {
  return kindAt(a, rowA) === kindAt(b, rowB) && numberAt(a, rowA) === numberAt(b, rowB)
}

/**
 * Reports whether two cells match: integers exactly, beyond 2^53 also with doubles, other numbers within tolerance, a day or timestamp as
 * any text that represents it, everything else exactly.
 */
export function cellsMatch(
  a: CellColumn,
  rowA: number,
  b: CellColumn,
  rowB: number,
  tolerance: number,
  symbols: SymbolTable,
): boolean {
  if (sameCell(a, rowA, b, rowB)) return true
  const [left, right] = [kindAt(a, rowA), kindAt(b, rowB)]
  if (left === cellKind.symbol && right === cellKind.symbol) {
    const tags = tagAt(a, rowA) | tagAt(b, rowB)
    return (
      (tags & tolerantTags) !== 0 && symbolsMatch(numberAt(a, rowA), numberAt(b, rowB), tolerance, symbols)
    )
  }
  if (left !== cellKind.inexact && right !== cellKind.inexact) return false
  if (left === cellKind.symbol || right === cellKind.symbol) return false
  if (((tagAt(a, rowA) | tagAt(b, rowB)) & booleanTag) !== 0) return false
  return numbersMatch(
    approximateNumberAt(a, rowA, symbols),
    approximateNumberAt(b, rowB, symbols),
    toleranceBetween(left, right, tolerance),
  )
}

/** Compares a text with the day or timestamp that it represents, and lists number by number. */
function symbolsMatch(one: number, other: number, tolerance: number, symbols: SymbolTable): boolean {
  const numbers = symbols.numbersOf(one)
  if (numbers.length === 0) return symbols.spells(one, other)
  const others = symbols.numbersOf(other)
  return (
    symbols.groupOf(one) === symbols.groupOf(other) &&
    numbers.every((number, at) => {
      const match = others[at]
      return match !== undefined && numericCellsMatch(number, match, tolerance, symbols)
    })
  )
}

/** Reports whether two rows match in every column. */
export function rowsMatch(
  a: CellTable,
  rowA: number,
  b: CellTable,
  rowB: number,
  tolerance: number,
): boolean {
  for (let at = 0; at < a.columns.length; at++) {
    const [left, right] = [a.columns[at], b.columns[at]]
    if (left === undefined || right === undefined) return false
    if (!cellsMatch(left, rowA, right, rowB, tolerance, a.symbols)) return false
  }
  return true
}

/**
 * Returns a row as values again: numbers to double precision, other cells in the form that occurred first.
 */
export function rowValues(table: CellTable, row: number): Value[] {
  return table.columns.map((column) => {
    const [tag, number] = [tagAt(column, row), numberAt(column, row)]
    const kind = tag & kindMask
    if (kind === cellKind.symbol || kind === cellKind.bigInteger) return table.symbols.valueOf(number)
    return (tag & booleanTag) === 0 ? number : number === 1
  })
}

function grow<T extends Uint8Array | Float64Array>(from: T, to: T): T {
  to.set(from)
  return to
}
