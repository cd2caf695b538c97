import type { KbProblem } from '../kb/entry.js'

/** The kinds of problems of a knowledge base, independent of a benchmark. */
export type LintRule =
  /** A file that cannot be used, a reference that leads nowhere, an alias of two metrics, an unused parameter. */
  | 'invalid_entry'
  /** One word for two values of a parameter, or for a value and for a metric. */
  | 'colliding_words'
  | 'unused_snippet'
  | 'sql_unparsable'
  | 'sql_fails'
  /** A query compares a column with a text that no row holds. */
  | 'value_not_found'
  /** A note or a title names a table or a column that there is not. */
  | 'unknown_name'
  /** A note or a title says other than the SQL does. */
  | 'text_contradicts_sql'

/** An error makes answers fail or wrong; a warning may be meant. */
export interface LintFinding extends Omit<KbProblem, 'entry'> {
  readonly rule: LintRule
}

export function compareByPosition(a: LintFinding, b: LintFinding): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1
  return a.line - b.line || a.column - b.column
}
