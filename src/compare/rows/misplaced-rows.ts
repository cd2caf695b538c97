import type { Value } from '../../engine/contract/engine.js'
import { cellKind } from '../cells/cell.js'
import { type CellColumn, type CellTable, sameCell } from '../cells/cell-table.js'
import { matchRows } from './match-rows.js'

/**
 * Returns the index of the first run of tied rows whose rows differ from the run of the other side at the
 * same place; runs are single rows if no columns are known to tie. Undefined if all runs are equal. Both
 * sides must have equally many rows.
 */
export function firstMisplaced(
  expected: CellTable,
  actual: CellTable,
  tolerance: number,
  ties: TieKeys,
): number | undefined {
  const runs = runStarts(expected, ties)
  // The index of its run is one more exact cell of a row, so rows match within their run only.
  const [misplaced] = matchRows(withColumn(expected, runs), withColumn(actual, runs), tolerance).expected
  return misplaced === undefined ? undefined : runs.numbers[misplaced]
}

/**
 * How adjacent rows are recognised as tied: by ranks of the expected rows, else by their ordering columns,
 * else not at all.
 */
export interface TieKeys {
  readonly ranks?: readonly Value[] | undefined
  readonly orderColumns?: readonly number[] | undefined
}

/** Returns for each row the first row of its run. */
function runStarts(table: CellTable, { ranks, orderColumns }: TieKeys): CellColumn {
  const tags = new Uint8Array(table.rows).fill(cellKind.integer)
  const numbers = new Float64Array(table.rows)
  const keys = orderColumns?.map((at) => table.columns[at])
  for (let row = 1; row < table.rows; row++) {
    const tied =
      ranks === undefined
        ? keys?.every((column) => column !== undefined && sameCell(column, row - 1, column, row)) === true
        : ranks[row - 1] === ranks[row]
    numbers[row] = tied ? (numbers[row - 1] ?? 0) : row
  }
  return { tags, numbers }
}

function withColumn(table: CellTable, column: CellColumn): CellTable {
  return { ...table, columns: [...table.columns, column] }
}
