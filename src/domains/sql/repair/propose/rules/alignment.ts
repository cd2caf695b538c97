import type { Schema } from '../../../../../sql/index.js'
import type { QuestionValue } from '../../model/question-values.js'
import type { ClauseKind, Query, Select } from '../../model/sql-clauses.js'
import type { Scope, ScopeSource } from './scope.js'
import type { Style } from './style.js'
import type { TokenizedQuery } from './term-reader.js'

/** Replaces the snippet's text between two UTF-16 offsets. */
export interface TextReplacement {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** One thing in which the snippet says something else than the expected query, and how to say it. */
export interface Difference {
  readonly clause: ClauseKind | 'join' | 'set_operation'
  readonly changes: readonly TextReplacement[]
  /** "adds the filter x"; empty where it only follows from another difference. */
  readonly description: string
  /** "filter x was missing", for the title. */
  readonly title: string
  /** Stays although the target is met without it: a value of the question must not be hard-coded. */
  readonly keep: boolean
}

/**
 * Which of several readings to take where the expected query does not say; index 0 is the likeliest. Readings of
 * more weight are taken later.
 */
export type ChooseReading = (key: string, options: number, weight?: number) => number

/** The comparison under way of a snippet with the expected query of one example. */
export interface Alignment {
  readonly snippet: TokenizedQuery
  readonly expected: TokenizedQuery
  readonly values: readonly QuestionValue[]
  /** Placeholders that stand in the snippet. */
  readonly used: ReadonlySet<string>
  readonly style: Style
  /** The tables that both queries read, where they are known. */
  readonly schema: Schema | undefined
  readonly choose: ChooseReading
  /** Found so far. */
  readonly differences: Difference[]
  /** Nested queries that correspond and are to be compared. */
  readonly pending: QueryPair[]
}

export interface QueryPair {
  readonly snippet: Query
  readonly expected: Query
  readonly snippetScope: Scope
  readonly expectedScope: Scope
}

/** Where terms of the two queries stand. */
export interface ScopePair {
  readonly snippet: Scope
  readonly expected: Scope
  /** How the snippet's author writes columns in this SELECT. */
  readonly usage: ColumnUsage
  /** Sub-queries of the snippet that are read as part of this SELECT. */
  readonly inlinedSubqueries?: readonly InlinedSubquery[] | undefined
}

export interface InlinedSubquery {
  /** As it stands in FROM. */
  readonly source: ScopeSource
  readonly select: Select
  /** Where terms of the sub-query stand. */
  readonly place: ScopePair
}

export interface ColumnUsage {
  readonly qualified: number
  readonly bare: number
  /** Whether a join is written: a column without its table may be one of both there. */
  readonly joining?: true
  /** Ids of the sources that a column is written with, by its name in lower case. */
  readonly byColumn: ReadonlyMap<string, ReadonlySet<string>>
}

const maxSqlLength = 80

/** SQL for a sentence: on one line, not too long. */
export function abbreviateSql(sql: string): string {
  const line = sql.replaceAll(/\s+/g, ' ').trim()
  return line.length <= maxSqlLength ? line : `${line.slice(0, maxSqlLength - 1)}…`
}

/** Notes a difference, unless there is nothing to change. */
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
