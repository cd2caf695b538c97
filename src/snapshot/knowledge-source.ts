/** Which columns hold question and query, where a format has columns. Absent: the format's own guess. */
export interface ColumnMap {
  readonly question?: string | undefined
  readonly sql?: string | undefined
  readonly id?: string | undefined
}

/** A folder or file of knowledge, and its format. */
export interface KnowledgeSource {
  /** POSIX, relative to the root; `.` for all of it. */
  readonly path: string
  /** Name of a format, or `auto`. */
  readonly format: string
  readonly columns?: ColumnMap | undefined
}
