import type { Column, ResultSet, Value } from '../../engine/contract/engine.js'
import { type CellTable, createTableBuilder, rowsMatch, rowValues, withColumns } from '../cells/cell-table.js'
import { createSymbolTable, type SymbolTable } from '../cells/symbol-table.js'
import {
  type ColumnMapping,
  type ColumnMode,
  type ColumnPlan,
  planColumns,
} from '../columns/column-mapping.js'
import type { ColumnSearch } from '../columns/column-mapping-by-refinement.js'
import { mapColumnsByValues } from '../columns/column-mapping-by-values.js'
import type { RowComparison, RowDifference } from '../model/sql-score.js'
import { matchRows } from '../rows/match-rows.js'
import type { Unmatched } from '../rows/match-with-tolerance.js'
import { firstMisplaced } from '../rows/misplaced-rows.js'
import { rowDifferences } from './row-differences.js'

export interface CompareOptions {
  readonly order: 'ordered' | 'unordered'
  /** Relative tolerance for numbers that are not integers; 0 compares them exactly. */
  readonly tolerance: number
  readonly columns: ColumnMode
  /** Expected columns that the query orders by: rows equal in them may be in any order. Absent: no ties. */
  readonly orderColumns?: readonly number[] | undefined
  /**
   * Ranks of the expected rows in the query's order, if the engine returned them; they determine which rows
   * tie.
   */
  readonly ranks?: readonly Value[] | undefined
  /** A note for rows in another order. */
  readonly orderNote?: string | undefined
}

/** A result that arrives row by row. */
export interface RowStream {
  readonly columns: readonly Column[]
  readonly rows: Iterable<readonly Value[]> | AsyncIterable<readonly Value[]>
  /** Read after the last row: the limit that truncated the result, null or absent if it is complete. */
  readonly cut?: ResultSet['cut'] | undefined
}

/**
 * Compares two results as multisets of rows, and as sequences if the order counts. A truncated result never
 * matches.
 */
export function compareResults(
  expected: ResultSet,
  actual: ResultSet,
  options: CompareOptions,
): RowComparison {
  const plan = planOf(expected, actual, options)
  if (plan.kind === 'mismatch')
    return columnMismatch(expected, expected.rows.length, actual.rows.length, plan)
  const symbols = createSymbolTable()
  return compareSides(
    { ...expected, table: tableOf(expected, symbols), valuesAt: (row) => expected.rows[row] ?? [] },
    { ...actual, table: tableOf(actual, symbols), valuesAt: (row) => actual.rows[row] ?? [] },
    plan,
    options,
  )
}

/**
 * Like `compareResults`, for results that arrive row by row, one after the other: no row is kept, only its
 * cells in nine bytes each and every text once. Differences show numbers to double precision and a day or
 * timestamp as first written.
 */
export async function compareStreams(
  expected: RowStream,
  actual: RowStream,
  options: CompareOptions,
): Promise<RowComparison> {
  const plan = planOf(expected, actual, options)
  const symbols = createSymbolTable()
  const sides = [await readSide(expected, symbols), await readSide(actual, symbols)] as const
  const [left, right] = sides
  if (plan.kind === 'mismatch') return columnMismatch(expected, left.table.rows, right.table.rows, plan)
  return compareSides(left, right, plan, options)
}

/** A completely read result. */
interface Side {
  readonly columns: readonly Column[]
  readonly cut: ResultSet['cut']
  readonly table: CellTable
  /** Returns the original row, in the result's own column order. */
  readonly valuesAt: (row: number) => readonly Value[]
}

type Pairing = Exclude<ColumnPlan, { readonly kind: 'mismatch' }>

function planOf(
  expected: Pick<ResultSet, 'columns'>,
  actual: Pick<ResultSet, 'columns'>,
  options: CompareOptions,
): ColumnPlan {
  return planColumns(namesOf(expected), namesOf(actual), options.columns)
}

function namesOf({ columns }: Pick<ResultSet, 'columns'>): string[] {
  return columns.map((column) => column.name)
}

function columnMismatch(
  expected: Pick<ResultSet, 'columns'>,
  expectedRows: number,
  actualRows: number,
  { text }: Extract<ColumnPlan, { readonly kind: 'mismatch' }>,
): RowComparison {
  return {
    match: false,
    expectedRows,
    actualRows,
    columns: namesOf(expected),
    differing: Math.max(expectedRows, actualRows),
    differences: [{ kind: 'columns', text }],
  }
}

function tableOf(result: ResultSet, symbols: SymbolTable): CellTable {
  const builder = createTableBuilder(result.columns, symbols, result.rows.length)
  for (const row of result.rows) builder.add(row)
  return builder.build()
}

async function readSide(stream: RowStream, symbols: SymbolTable): Promise<Side> {
  const builder = createTableBuilder(stream.columns, symbols)
  // Awaiting each row of a result in memory would take longer than comparing it.
  if (Symbol.iterator in stream.rows) for (const row of stream.rows) builder.add(row)
  else for await (const row of stream.rows) builder.add(row)
  const table = builder.build()
  return {
    columns: stream.columns,
    cut: stream.cut ?? null,
    table,
    valuesAt: (row) => rowValues(table, row),
  }
}

function compareSides(expected: Side, actual: Side, plan: Pairing, options: CompareOptions): RowComparison {
  const cut = expected.cut !== null || actual.cut !== null
  const first = compareWithMapping(expected, actual, plan.mapping, options)
  const isOpen = plan.kind === 'open' && !isMatch(first) && expected.table.rows === actual.table.rows
  const search = isOpen ? searchColumns(expected, actual, options) : undefined
  const found =
    search?.mapping === undefined ? first : compareWithMapping(expected, actual, search.mapping, options)
  return {
    match: !cut && isMatch(found),
    expectedRows: expected.table.rows,
    actualRows: actual.table.rows,
    columns: namesOf(expected),
    ...differencesOf(expected, actual, found, options),
    untried: incompleteSearchNote(search, found),
  }
}

/** Returns a note if a search found no match and stopped at its limit. */
function incompleteSearchNote(search: ColumnSearch | undefined, found: Outcome): string | undefined {
  if (search?.isCut === true) return 'not every way to pair the columns was tried'
  return found.unmatched.isCut ? 'not every way to pair rows that are near one another was tried' : undefined
}

function searchColumns(expected: Side, actual: Side, options: CompareOptions): ColumnSearch {
  return mapColumnsByValues(expected.table, actual.table, options.tolerance, (candidate) =>
    isMatch(compareWithMapping(expected, actual, candidate, options)),
  )
}

interface Outcome {
  readonly mapping: ColumnMapping
  readonly unmatched: Unmatched
  /** First row out of place, if the rows match except for their order. */
  readonly misplaced: number | undefined
}

function isMatch(outcome: Outcome): boolean {
  const { expected, actual } = outcome.unmatched
  return expected.length === 0 && actual.length === 0 && outcome.misplaced === undefined
}

function compareWithMapping(
  expected: Side,
  actual: Side,
  mapping: ColumnMapping,
  options: CompareOptions,
): Outcome {
  const arranged = withColumns(actual.table, mapping)
  // The common case: row by row within tolerance, which is a valid matching in any case.
  if (sameSequence(expected.table, arranged, options.tolerance))
    return { mapping, unmatched: { expected: [], actual: [], isCut: false }, misplaced: undefined }
  const unmatched = matchRows(expected.table, arranged, options.tolerance)
  const whole = unmatched.expected.length === 0 && unmatched.actual.length === 0
  const misplaced =
    whole && options.order === 'ordered'
      ? firstMisplaced(expected.table, arranged, options.tolerance, options)
      : undefined
  return { mapping, unmatched, misplaced }
}

function sameSequence(expected: CellTable, actual: CellTable, tolerance: number): boolean {
  if (expected.rows !== actual.rows) return false
  for (let row = 0; row < expected.rows; row++) {
    if (!rowsMatch(expected, row, actual, row, tolerance)) return false
  }
  return true
}

function differencesOf(
  expected: Side,
  actual: Side,
  { mapping, unmatched, misplaced }: Outcome,
  { tolerance, orderNote }: CompareOptions,
): { readonly differing: number; readonly differences: readonly RowDifference[] } {
  if (misplaced !== undefined) {
    const note = orderNote === undefined ? '' : ` (${orderNote})`
    const text = `rows are in another order, from row ${misplaced + 1} on${note}`
    return { differing: expected.table.rows - misplaced, differences: [{ kind: 'order', text }] }
  }
  const differing = Math.max(unmatched.expected.length, unmatched.actual.length)
  const arranged = (row: number): Value[] => {
    const values = actual.valuesAt(row)
    return mapping.map((column) => values[column] ?? null)
  }
  const differences = rowDifferences(
    { table: expected.table, valuesAt: expected.valuesAt },
    { table: withColumns(actual.table, mapping), valuesAt: arranged },
    unmatched,
    tolerance,
  )
  return { differing, differences }
}
