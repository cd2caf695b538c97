import { cellKind, tolerantTags } from '../cells/cell.js'
import {
  approximateNumberAt,
  type CellColumn,
  type CellTable,
  kindAt,
  numberAt,
  tagAt,
  withColumns,
} from '../cells/cell-table.js'
import { matchRows } from '../rows/match-rows.js'
import type { ColumnMapping } from './column-mapping.js'
import { type ColumnSearch, mapColumnsByRefinement } from './column-mapping-by-refinement.js'

/**
 * Limits of one search: row comparisons that are always made, those per column, and cells after which no more
 * are made.
 */
const leastTries = 300
const triesOfColumn = 4
const mostCells = 10_000_000

/**
 * Finds a mapping by values under which the rows match: each expected column to a different actual one. First
 * by classes of equal cells; if numbers may be near without being equal, columns are assigned one after the
 * other, as long as the partial rows can be matched.
 */
export function mapColumnsByValues(
  expected: CellTable,
  actual: CellTable,
  tolerance: number,
  accepts: (mapping: ColumnMapping) => boolean,
): ColumnSearch {
  const exact = mapColumnsByRefinement(expected, actual, accepts)
  const isLoose = [expected, actual].some(hasTolerantCells)
  return exact.mapping !== undefined || !isLoose
    ? exact
    : assignColumnsInOrder(expected, actual, tolerance, accepts)
}

/** Reports whether a cell may match a different one. */
function hasTolerantCells(table: CellTable): boolean {
  return table.columns.some((column) => {
    for (let row = 0; row < table.rows; row++)
      if (kindAt(column, row) === cellKind.inexact || (tagAt(column, row) & tolerantTags) !== 0) return true
    return false
  })
}

function assignColumnsInOrder(
  expected: CellTable,
  actual: CellTable,
  tolerance: number,
  accepts: (mapping: ColumnMapping) => boolean,
): ColumnSearch {
  const profiles = {
    expected: expected.columns.map((column) => profileOf(column, expected)),
    actual: actual.columns.map((column) => profileOf(column, actual)),
  }
  const mostTries = leastTries + triesOfColumn * expected.columns.length
  let tries = 0
  let cells = 0
  let isCut = false

  function assign(mapping: ColumnMapping, taken: ReadonlySet<number>): ColumnMapping | undefined {
    const column = mapping.length
    const own = profiles.expected[column]
    if (own === undefined) return accepts(mapping) ? mapping : undefined
    // The column at the same position first: queries seldom reorder all columns.
    const order = [column, ...profiles.actual.keys()].filter((at, index) => index === 0 || at !== column)
    for (const candidate of order) {
      const other = profiles.actual[candidate]
      if (other === undefined || taken.has(candidate) || !mayMatch(own, other, tolerance)) continue
      isCut ||= tries >= leastTries && (cells >= mostCells || tries >= mostTries)
      if (isCut) return undefined
      tries++
      const longer = [...mapping, candidate]
      cells += longer.length * Math.max(1, expected.rows)
      if (!prefixesMatch(expected, actual, longer, tolerance)) continue
      const found = assign(longer, new Set(longer))
      if (found !== undefined) return found
    }
    return undefined
  }

  const mapping = assign([], new Set())
  return { mapping, isCut }
}

/** The content of a column, independent of the order of rows. */
interface Profile {
  /** Sum of hashes of the cells that are not finite numbers, and the count of numbers. */
  readonly others: number
  readonly numbers: number
  readonly sum: number
  readonly magnitude: number
}

function profileOf(column: CellColumn, { rows, symbols }: CellTable): Profile {
  let others = 0
  let numbers = 0
  let sum = 0
  let magnitude = 0
  for (let row = 0; row < rows; row++) {
    if (kindAt(column, row) === cellKind.symbol) {
      others = (others + Math.imul(symbols.groupOf(numberAt(column, row)) + 1, 0x9e3779b1)) | 0
      continue
    }
    const number = approximateNumberAt(column, row, symbols)
    numbers++
    sum += number
    magnitude += Math.abs(number)
  }
  return { others, numbers, sum, magnitude }
}

/**
 * Reports whether columns may match, a necessary condition: if each cell differs at most by the tolerance, so
 * does the sum.
 */
function mayMatch(a: Profile, b: Profile, tolerance: number): boolean {
  const slack = (tolerance + 1e-9) * (a.magnitude + b.magnitude) + a.numbers * 1e-9
  // Not `<=`: sums that overflowed are NaN, and prove nothing.
  return a.others === b.others && a.numbers === b.numbers && !(Math.abs(a.sum - b.sum) > slack)
}

function prefixesMatch(
  expected: CellTable,
  actual: CellTable,
  mapping: ColumnMapping,
  tolerance: number,
): boolean {
  const left = withColumns(expected, [...mapping.keys()])
  const { expected: missing, actual: extra } = matchRows(left, withColumns(actual, mapping), tolerance)
  return missing.length === 0 && extra.length === 0
}
