import type { Value } from '../../engine/contract/engine.js'
import { type CellTable, cellsMatch } from '../cells/cell-table.js'
import type { RowDifference } from '../model/sql-score.js'
import type { Unmatched } from '../rows/match-with-tolerance.js'

/** Number of differences listed; the count of differing rows is not limited. */
const maxDifferences = 20
/** Number of rows among which the most similar are searched for. */
const maxPaired = 200

interface Side {
  readonly table: CellTable
  readonly valuesAt: (row: number) => readonly Value[]
}

/**
 * Returns unmatched rows as differences: rows that share at least half of their cells are one changed row,
 * the others are missing or extra. Both sides have their cells in the expected column order.
 */
export function rowDifferences(
  expected: Side,
  actual: Side,
  unmatched: Unmatched,
  tolerance: number,
): RowDifference[] {
  const changed = pairSimilarRows(expected, actual, unmatched, tolerance)
  const paired = {
    expected: new Set(changed.map((pair) => pair.expected)),
    actual: new Set(changed.map((pair) => pair.actual)),
  }
  const differences: RowDifference[] = changed.map((pair) => ({
    kind: 'changed',
    expected: expected.valuesAt(pair.expected),
    actual: actual.valuesAt(pair.actual),
    cells: pair.cells,
  }))
  const missing = unmatched.expected.filter((index) => !paired.expected.has(index))
  const extra = unmatched.actual.filter((index) => !paired.actual.has(index))
  // Alternately, so that neither side displaces the other.
  for (let at = 0; differences.length < maxDifferences && (at < missing.length || at < extra.length); at++) {
    const lost = missing[at]
    const added = extra[at]
    if (lost !== undefined) differences.push({ kind: 'missing', row: expected.valuesAt(lost) })
    if (added !== undefined) differences.push({ kind: 'extra', row: actual.valuesAt(added) })
  }
  return differences.slice(0, maxDifferences)
}

interface Pair {
  readonly expected: number
  readonly actual: number
  /** Columns that differ. */
  readonly cells: readonly number[]
}

function pairSimilarRows(expected: Side, actual: Side, unmatched: Unmatched, tolerance: number): Pair[] {
  const candidates: Pair[] = []
  const alone = unmatched.expected.length === 1 && unmatched.actual.length === 1
  for (const left of unmatched.expected.slice(0, maxPaired)) {
    for (const right of unmatched.actual.slice(0, maxPaired)) {
      const cells = differingCells(expected.table, left, actual.table, right, tolerance)
      if (alone || cells.length * 2 <= expected.table.columns.length)
        candidates.push({ expected: left, actual: right, cells })
    }
  }
  candidates.sort((a, b) => a.cells.length - b.cells.length || a.expected - b.expected || a.actual - b.actual)
  const pairs: Pair[] = []
  const taken = { expected: new Set<number>(), actual: new Set<number>() }
  for (const pair of candidates) {
    if (taken.expected.has(pair.expected) || taken.actual.has(pair.actual)) continue
    taken.expected.add(pair.expected)
    taken.actual.add(pair.actual)
    pairs.push(pair)
  }
  return pairs.slice(0, maxDifferences).sort((a, b) => a.expected - b.expected)
}

function differingCells(
  expected: CellTable,
  left: number,
  actual: CellTable,
  right: number,
  tolerance: number,
): number[] {
  return [...expected.columns.keys()].filter((at) => {
    const [column, other] = [expected.columns[at], actual.columns[at]]
    if (column === undefined || other === undefined) return true
    return !cellsMatch(column, left, other, right, tolerance, expected.symbols)
  })
}
