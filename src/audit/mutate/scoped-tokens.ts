import type { SqlToken, TableSchema } from '../../sql/index.js'

/** The scope of one SELECT; a subquery and each operand of a set operation has its own. */
export interface Scope {
  readonly parent: Scope | undefined
  /** Nesting of the tokens that belong to the SELECT itself, not to something in brackets. */
  readonly depth: number
  /** Known tables by the name that qualifies their columns, in lower case. */
  readonly tables: Map<string, TableSchema>
}

/** A token with its nesting: brackets and CASE add a level. */
export interface Term extends SqlToken {
  readonly depth: number
  readonly scope: Scope
}
