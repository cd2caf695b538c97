import type { Dialect } from '../enums/dialect.js'

/** A text of a query, and the column that the query compares it with. */
export interface ComparedText {
  readonly sql: string
  readonly dialect: Dialect
  readonly text: string
}

/** What the data have in the column of a text; undefined where that cannot be known. */
export interface StoredValues {
  /** Returns how a value is spelled in the column; `absent` if no row has it. */
  spellingOf(compared: ComparedText, value: string): Promise<string | 'absent' | undefined>
  /** Returns the column, and other values of it, in their order. */
  othersOf(
    compared: ComparedText,
  ): Promise<{ readonly column: string; readonly values: readonly string[] } | undefined>
}
