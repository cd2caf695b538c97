/** A column of a table that is created, as the engine's SQL defines it. */
export interface ScratchColumn {
  readonly name: string
  /** With its collation: `varchar(10) COLLATE "de_DE"`. */
  readonly type: string
}

/** Names of the tables that are created in a scratch schema, whose day says when: no other table there is touched. */
export const scratchTableName = /^autotest_copy_(\d{4})(\d\d)(\d\d)_[0-9a-z_]{8,24}$/u

/**
 * A schema of the server in which copies of tables may be written: the one place where an engine writes. Methods throw
 * `engine_unavailable`.
 */
export interface ScratchSchema {
  /** As configured: `scratch`, `memory.scratch`. */
  readonly schema: string
  /** Returns the names of the tables of copies that are there. */
  tables(): Promise<readonly string[]>
  /**
   * Creates a table with the rows that queries give, unless there is one of that name. It appears with all its rows or not at
   * all.
   */
  create(table: {
    readonly name: string
    readonly columns: readonly ScratchColumn[]
    readonly queries: readonly string[]
  }): Promise<void>
  drop(names: readonly string[]): Promise<void>
}
