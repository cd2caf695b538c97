import type { ComparedLiteral } from '../../sql/index.js'
import type { FuzzTable } from './fuzz-table.js'

export interface InjectionTable {
  /** As it is named in `ComparedLiteral` values. */
  readonly name: string
  /** As named in statements. */
  readonly quoted: string
  /** The columns that identify its rows, as written in statements: `rowid`, or those of a key. */
  readonly rowKey: readonly string[]
  readonly shape: Omit<FuzzTable, 'rows'>
}

/** A writable copy. */
export interface InjectionTarget {
  /** Runs a statement; one that the database rejects changes nothing. */
  run(sql: string): Promise<void> | void
  /** Returns the first cells of the rows, as texts; undefined if the database rejects the query. */
  queryTexts(sql: string): Promise<readonly string[] | undefined> | readonly string[] | undefined
  /** Returns the value as the column of the table would store it, as a text; undefined if it cannot. */
  storedText(
    value: ComparedLiteral,
    column: string,
    table: string,
  ): Promise<string | undefined> | string | undefined
  /** The beginning of an UPDATE that skips rows which it must not change. */
  readonly updateClause: string
  /** The function that merges one JSON object into another. */
  readonly jsonPatch: string
}
