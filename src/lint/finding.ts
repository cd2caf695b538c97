import type { KbProblem } from '../kb/entry.js'

/** The kinds of problems of a knowledge base, independent of a benchmark. */
export type LintRule =
  /** A file that cannot be used, a dangling reference, an alias of two metrics, an unused parameter. */
  | 'invalid_entry'
  /** A file that git has, and that is not on disk. */
  | 'not_checked_out'
  /** Files of the knowledge base that nothing reads. */
  | 'unread_file'
  /** One word for two values of a parameter, or for a value and for a metric. */
  | 'colliding_words'
  | 'unused_snippet'
  | 'sql_unparsable'
  | 'sql_fails'
  /** A query that was stopped at its deadline or memory limit. */
  | 'sql_slow'
  /** A part of a file that is not read. */
  | 'skipped_region'
  /** One question with two different queries. */
  | 'duplicate_question'
  /** A link to a file that is not there. */
  | 'dead_link'
  /** A query compares a column with a string that is in no row. */
  | 'value_not_found'
  /** A query, a note or a title names a table or a column that does not exist. */
  | 'unknown_name'
  /** A note or a title contradicts the SQL. */
  | 'text_contradicts_sql'

/** An error makes answers fail or wrong; a warning may be deliberate. */
export interface LintFinding extends Omit<KbProblem, 'entry'> {
  readonly rule: LintRule
}

export function compareByPosition(a: LintFinding, b: LintFinding): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1
  return a.line - b.line || a.column - b.column
}
