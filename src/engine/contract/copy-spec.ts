/** Which copy: the same seed and index give the same rows. */
export interface CopySpec {
  readonly seed: number
  /** From 1; determines what the copy tests. */
  readonly index: number
  /**
   * Plain lower-case names of the tables to read from a database with many: the others stay empty. Absent:
   * all.
   */
  readonly tables?: readonly string[] | undefined
}

/** Which rows get the greatest values of the measured columns: those that a query selects, or the others. */
export type MaximaPlacement = 'asked' | 'others'

/** How the values of a copy are redistributed among its rows. */
export interface Redistribution {
  /** Lower-case names that occur in the queries: other columns are not changed. */
  readonly identifiers: readonly string[]
  readonly maximaIn: MaximaPlacement
  /** Also values that the types allow and that the columns have never held: a third one beside no and yes. */
  readonly ignoresHabits?: boolean
}
