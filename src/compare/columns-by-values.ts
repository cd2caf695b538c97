import { cellKind } from './cell.js'
import { type CellColumn, type CellTable, kindAt, numberAt, numericAt, withColumns } from './cell-table.js'
import type { Mapping } from './columns.js'
import { matchRows } from './match-rows.js'

/** Row comparisons in one search; columns that hold the same values are what it is spent on. */
const maxTries = 300

/**
 * A mapping by values under which the rows match: each expected column by a different actual one. Columns are
 * told apart by what they hold, then assigned one after the other, as long as the rows so far can be matched.
 */
export function mappingByValues(
  expected: CellTable,
  actual: CellTable,
  tolerance: number,
  accepts: (mapping: Mapping) => boolean,
): Mapping | undefined {
  const width = expected.columns.length
  const profiles = {
    expected: expected.columns.map((column) => profileOf(column, expected)),
    actual: actual.columns.map((column) => profileOf(column, actual)),
  }
  let tries = 0

  function assign(mapping: Mapping): Mapping | undefined {
    const column = mapping.length
    if (column === width) return accepts(mapping) ? mapping : undefined
    const own = profiles.expected[column]
    // The column in the same place first: queries seldom shuffle all.
    const order = [column, ...profiles.actual.keys()].filter((at, index) => index === 0 || at !== column)
    for (const candidate of order) {
      const other = profiles.actual[candidate]
      if (tries >= maxTries) return undefined
      if (own === undefined || other === undefined || mapping.includes(candidate)) continue
      if (!maySame(own, other, tolerance)) continue
      tries++
      const longer = [...mapping, candidate]
      if (!prefixesMatch(expected, actual, longer, tolerance)) continue
      const found = assign(longer)
      if (found !== undefined) return found
    }
    return undefined
  }

  return assign([])
}

/** What a column holds, whatever the order of rows. */
interface Profile {
  /** Sum of hashes of the cells that are no finite numbers, and how many numbers there are. */
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
    const number = numericAt(column, row, symbols)
    numbers++
    sum += number
    magnitude += Math.abs(number)
  }
  return { others, numbers, sum, magnitude }
}

/** A necessary condition of equal columns: what differs by tolerance in each cell differs by no more in the sum. */
function maySame(a: Profile, b: Profile, tolerance: number): boolean {
  const slack = (tolerance + 1e-9) * (a.magnitude + b.magnitude) + a.numbers * 1e-9
  // Not `<=`: sums that overflowed are no numbers, and prove nothing.
  return a.others === b.others && a.numbers === b.numbers && !(Math.abs(a.sum - b.sum) > slack)
}

function prefixesMatch(expected: CellTable, actual: CellTable, mapping: Mapping, tolerance: number): boolean {
  const left = withColumns(expected, [...mapping.keys()])
  const { expected: missing, actual: extra } = matchRows(left, withColumns(actual, mapping), tolerance)
  return missing.length === 0 && extra.length === 0
}
