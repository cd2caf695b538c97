import type { ResultSet, Value } from '../engine/engine.js'
import { cellKey, keysMatch } from './cell.js'
import { type ColumnMode, type Mapping, mappingByValues, planColumns } from './columns.js'
import { rowDifferences } from './differences.js'
import { type KeyRow, matchRows, type Unmatched } from './match-rows.js'
import type { RowComparison, RowDifference } from './score.js'

export interface CompareOptions {
  readonly order: 'ordered' | 'unordered'
  /** Relative tolerance for numbers that are not integers; 0 compares them exactly. */
  readonly tolerance: number
  readonly columns: ColumnMode
  /** Expected columns that the query orders by: rows equal in them may come in any order. Absent: no ties. */
  readonly orderColumns?: readonly number[] | undefined
}

/** Compares two results as multisets of rows, and as sequences where the order counts. A cut result never matches. */
export function compareResults(
  expected: ResultSet,
  actual: ResultSet,
  options: CompareOptions,
): RowComparison {
  const names = expected.columns.map((column) => column.name)
  const plan = planColumns(
    names,
    actual.columns.map((column) => column.name),
    options.columns,
  )
  const summary = { expectedRows: expected.rows.length, actualRows: actual.rows.length, columns: names }
  if (plan.kind === 'mismatch') {
    const differing = Math.max(expected.rows.length, actual.rows.length)
    return { match: false, ...summary, differing, differences: [{ kind: 'columns', text: plan.text }] }
  }
  const cut = expected.cut !== null || actual.cut !== null
  if (!cut && sameSequence(expected, actual, plan.mapping, options.tolerance)) {
    return { match: true, ...summary, differing: 0, differences: [] }
  }
  const keys = { expected: keysOf(expected), actual: keysOf(actual) }
  const outcome = compareUnder(keys, plan.mapping, options)
  const better =
    plan.kind === 'open' && !isMatch(outcome) ? matchByValues(keys, names.length, options) : undefined
  const found = better ?? outcome
  return {
    match: !cut && isMatch(found),
    ...summary,
    ...differencesOf(expected, actual, keys, found, options.tolerance),
  }
}

interface Keys {
  readonly expected: readonly KeyRow[]
  readonly actual: readonly KeyRow[]
}

interface Outcome {
  readonly mapping: Mapping
  readonly unmatched: Unmatched
  /** First row out of place, where the rows match but for their order. */
  readonly misplaced: number | undefined
}

function isMatch(outcome: Outcome): boolean {
  const { expected, actual } = outcome.unmatched
  return expected.length === 0 && actual.length === 0 && outcome.misplaced === undefined
}

/** The common case, decided without keeping a key: row by row within tolerance, which is a matching of any kind. */
function sameSequence(expected: ResultSet, actual: ResultSet, mapping: Mapping, tolerance: number): boolean {
  if (expected.rows.length !== actual.rows.length) return false
  return expected.rows.every((row, index) => {
    const other = actual.rows[index]
    return row.every((value, column) => {
      const found = other?.[mapping[column] ?? column]
      return found !== undefined && keysMatch(cellKey(value), cellKey(found), tolerance)
    })
  })
}

function keysOf(result: ResultSet): KeyRow[] {
  return result.rows.map((row) => row.map(cellKey))
}

function compareUnder(keys: Keys, mapping: Mapping, options: CompareOptions): Outcome {
  const actual = arranged(keys.actual, mapping)
  const unmatched = matchRows(keys.expected, actual, options.tolerance)
  const whole = unmatched.expected.length === 0 && unmatched.actual.length === 0
  const misplaced =
    whole && options.order === 'ordered' ? firstMisplaced(keys.expected, actual, options) : undefined
  return { mapping, unmatched, misplaced }
}

function matchByValues(keys: Keys, width: number, options: CompareOptions): Outcome | undefined {
  if (keys.expected.length !== keys.actual.length) return undefined
  const mapping = mappingByValues(keys.expected, keys.actual, width, options.tolerance, (candidate) =>
    isMatch(compareUnder(keys, candidate, options)),
  )
  return mapping === undefined ? undefined : compareUnder(keys, mapping, options)
}

/** Index of the first run of tied rows that holds other rows than the expected run does; runs are single rows without ties. */
function firstMisplaced(
  expected: readonly KeyRow[],
  actual: readonly KeyRow[],
  options: CompareOptions,
): number | undefined {
  const columns = options.orderColumns
  for (let start = 0; start < expected.length; ) {
    let end = start + 1
    while (columns !== undefined && end < expected.length && tied(expected[start], expected[end], columns))
      end++
    if (!sameRun(expected.slice(start, end), actual.slice(start, end), options.tolerance)) return start
    start = end
  }
  return undefined
}

function sameRun(expected: readonly KeyRow[], actual: readonly KeyRow[], tolerance: number): boolean {
  const [row] = expected
  if (expected.length > 1 || row === undefined)
    return matchRows(expected, actual, tolerance).expected.length === 0
  return row.every((key, column) => keysMatch(key, actual[0]?.[column] ?? 'n', tolerance))
}

function tied(a: KeyRow | undefined, b: KeyRow | undefined, columns: readonly number[]): boolean {
  return columns.every((column) => a?.[column] === b?.[column])
}

function differencesOf(
  expected: ResultSet,
  actual: ResultSet,
  keys: Keys,
  outcome: Outcome,
  tolerance: number,
): { readonly differing: number; readonly differences: readonly RowDifference[] } {
  const { mapping, unmatched, misplaced } = outcome
  if (misplaced !== undefined) {
    const text = `rows come in another order, from row ${misplaced + 1} on`
    return { differing: expected.rows.length - misplaced, differences: [{ kind: 'order', text }] }
  }
  const differing = Math.max(unmatched.expected.length, unmatched.actual.length)
  const differences = rowDifferences(
    { keys: keys.expected, rows: expected.rows },
    { keys: arranged(keys.actual, mapping), rows: arranged(actual.rows, mapping) },
    unmatched,
    tolerance,
  )
  return { differing, differences }
}

/** Cells in the expected column order. */
function arranged<T extends Value>(
  rows: readonly (readonly T[])[],
  mapping: Mapping,
): readonly (readonly T[])[] {
  if (mapping.every((column, index) => column === index)) return rows
  return rows.map((row) => mapping.map((column) => row[column]).filter((value) => value !== undefined))
}
