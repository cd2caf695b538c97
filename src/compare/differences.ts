import type { Value } from '../engine/engine.js'
import { keysMatch } from './cell.js'
import type { KeyRow, Unmatched } from './match-rows.js'
import type { RowDifference } from './score.js'

/** Differences spelled out; the count of differing rows knows no cap. */
const maxDifferences = 20
/** Rows among which the most alike are looked for. */
const maxPaired = 200

interface Side {
  readonly keys: readonly KeyRow[]
  readonly rows: readonly (readonly Value[])[]
}

/**
 * Unmatched rows as differences: rows that share at least half of their cells are one changed row, the others are
 * missing or extra. Both sides have their cells in the expected column order.
 */
export function rowDifferences(
  expected: Side,
  actual: Side,
  unmatched: Unmatched,
  tolerance: number,
): RowDifference[] {
  const changed = pairAlike(expected, actual, unmatched, tolerance)
  const paired = {
    expected: new Set(changed.map((pair) => pair.expected)),
    actual: new Set(changed.map((pair) => pair.actual)),
  }
  const differences: RowDifference[] = changed.map((pair) => ({
    kind: 'changed',
    expected: expected.rows[pair.expected] ?? [],
    actual: actual.rows[pair.actual] ?? [],
    cells: pair.cells,
  }))
  const missing = unmatched.expected.filter((index) => !paired.expected.has(index))
  const extra = unmatched.actual.filter((index) => !paired.actual.has(index))
  // In turns, so that neither side crowds out the other.
  for (let at = 0; differences.length < maxDifferences && (at < missing.length || at < extra.length); at++) {
    const lost = missing[at]
    const added = extra[at]
    if (lost !== undefined) differences.push({ kind: 'missing', row: expected.rows[lost] ?? [] })
    if (added !== undefined) differences.push({ kind: 'extra', row: actual.rows[added] ?? [] })
  }
  return differences.slice(0, maxDifferences)
}

interface Pair {
  readonly expected: number
  readonly actual: number
  /** Columns that differ. */
  readonly cells: readonly number[]
}

function pairAlike(expected: Side, actual: Side, unmatched: Unmatched, tolerance: number): Pair[] {
  const candidates: Pair[] = []
  const alone = unmatched.expected.length === 1 && unmatched.actual.length === 1
  for (const left of unmatched.expected.slice(0, maxPaired)) {
    for (const right of unmatched.actual.slice(0, maxPaired)) {
      const row = expected.keys[left] ?? []
      const other = actual.keys[right] ?? []
      const cells = [...row.keys()].filter(
        (column) => !keysMatch(row[column] ?? 'n', other[column] ?? 'n', tolerance),
      )
      if (alone || cells.length * 2 <= row.length) candidates.push({ expected: left, actual: right, cells })
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
