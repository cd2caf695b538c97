import type { SqlCase } from '../../benchmark/case.js'
import type { SqlScore } from '../../compare/model/sql-score.js'
import type { SlotEdit } from '../../kb/entry-slots.js'
import type { Interpretation } from '../../kb/question-interpretation.js'
import type { Diagnosis } from '../../repair/model/diagnosis.js'

/**
 * Text-to-SQL: a question with the query that answers it, the results of both queries, and why a case fails.
 */
export interface SqlTypes {
  readonly case: SqlCase
  readonly score: SqlScore
  readonly diagnosis: SqlDiagnosis
}

/** The text that an answer was made from: a query in a note, or a snippet. */
export interface AnswerRegion {
  /** Equal for answers from the same text. */
  readonly key: string
  /** As reports name it: `note sales.md, "Paid revenue"`. */
  readonly name: string
  readonly path: string
  /** Line of its first line in the file, from 1. */
  readonly line: number
  /** Offsets in the file's text, in UTF-16 code units, end exclusive. */
  readonly start: number
  readonly end: number
  readonly text: string
  /** Whether it is an entry of another format, which that format writes. */
  readonly isEntry?: true | undefined
}

/** Why one case fails, and what its question resolves to in the knowledge base. */
export interface SqlDiagnosis extends Diagnosis<SqlTypes> {
  readonly interpretation: Interpretation
  /** Edits that give the metric the names by which the cases of its cluster ask for it. */
  readonly aliasEdits?: readonly SlotEdit[] | undefined
  /** The query that the answer was made from, if that is at fault and belongs to no metric of the question. */
  readonly region?: AnswerRegion | undefined
}
