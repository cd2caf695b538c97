import type { Schema } from '../../../../../sql/index.js'
import type { QuestionValue } from '../../model/question-values.js'
import type { ClauseKind, Query, Select } from '../../model/sql-clauses.js'
import type { Scope, ScopeSource } from './query-scope.js'
import type { Style } from './sql-formatting-style.js'
import type { TokenizedQuery } from './term-reader.js'

/** Replaces the snippet's text between two UTF-16 offsets. */
export interface TextReplacement {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * One difference in meaning between the snippet and the expected query, with the replacements that remove it.
 */
export interface Difference {
  readonly clause: ClauseKind | 'join' | 'set_operation'
  readonly changes: readonly TextReplacement[]
  /** "adds the filter x"; empty if it only follows from another difference. */
  readonly description: string
  /** "filter x was missing", for the title. */
  readonly title: string
  /** Kept even if the target is met without it: a value of the question must not be hard-coded. */
  readonly keep: boolean
}

/**
 * Chooses one of several readings where the expected query does not decide; index 0 is the likeliest.
 * Readings of higher weight are varied later.
 */
export type ChooseReading = (key: string, options: number, weight?: number) => number

/** The state of comparing a snippet with the expected query of one example. */
export interface Alignment {
  readonly snippet: TokenizedQuery
  readonly expected: TokenizedQuery
  readonly values: readonly QuestionValue[]
  /** Placeholders that occur in the snippet. */
  readonly used: ReadonlySet<string>
  readonly style: Style
  /** The tables that both queries read, if known. */
  readonly schema: Schema | undefined
  readonly choose: ChooseReading
  /** Differences found so far. */
  readonly differences: Difference[]
  /** Corresponding nested queries that remain to be compared. */
  readonly pending: QueryPair[]
}

export interface QueryPair {
  readonly snippet: Query
  readonly expected: Query
  readonly snippetScope: Scope
  readonly expectedScope: Scope
}

/** The scopes in which terms of the two queries are resolved. */
export interface ScopePair {
  readonly snippet: Scope
  readonly expected: Scope
  /** How the snippet's author writes columns in this SELECT. */
  readonly usage: ColumnUsage
  /** Sub-queries of the snippet that are read as part of this SELECT. */
  readonly inlinedSubqueries?: readonly InlinedSubquery[] | undefined
}

export interface InlinedSubquery {
  /** The source as written in FROM. */
  readonly source: ScopeSource
  readonly select: Select
  /** The scopes of terms inside the sub-query. */
  readonly place: ScopePair
}

export interface ColumnUsage {
  readonly qualified: number
  readonly bare: number
  /** Whether a join is being written: there, a column without its table may belong to either side. */
  readonly joining?: true
  /** Ids of the sources that a column is qualified with, by its name in lower case. */
  readonly byColumn: ReadonlyMap<string, ReadonlySet<string>>
}

const maxSqlLength = 80

/** Shortens SQL for a sentence: on one line, of limited length. */
export function abbreviateSql(sql: string): string {
  const line = sql.replaceAll(/\s+/g, ' ').trim()
  return line.length <= maxSqlLength ? line : `${line.slice(0, maxSqlLength - 1)}…`
}

/** Records a difference, unless there is nothing to change. */
export function recordDifference(
  alignment: Alignment,
  clause: Difference['clause'],
  changes: readonly TextReplacement[],
  words: string,
  title: string,
): void {
  if (changes.length > 0)
    alignment.differences.push({ clause, changes, description: words, title, keep: false })
}
