import type { ComparedLiteral } from '../../sql/index.js'
import type { FuzzTable } from './table.js'

export interface InjectionTable {
  /** As in values. */
  readonly name: string
  /** As statements name it. */
  readonly quoted: string
  /** The columns that identify its rows, as written in statements: `rowid`, or those of a key. */
  readonly rowKey: readonly string[]
  readonly shape: Omit<FuzzTable, 'rows'>
}

/** A writable copy. */
export interface InjectionTarget {
  /** Runs a statement; one that the database refuses changes nothing. */
  run(sql: string): Promise<void> | void
  /** First cells of the rows, as texts; undefined where the database refuses to show them. */
  queryTexts(sql: string): Promise<readonly string[] | undefined> | readonly string[] | undefined
  /** Returns the value as the column of the table would store it, as a text; undefined where it cannot. */
  storedText(
    value: ComparedLiteral,
    column: string,
    table: string,
  ): Promise<string | undefined> | string | undefined
  /** How an UPDATE begins that passes over rows which it must not change. */
  readonly updateClause: string
  /** The function that puts one JSON object into another. */
  readonly jsonPatch: string
}
