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

/** Why one case fails, and what its question resolves to in the knowledge base. */
export interface SqlDiagnosis extends Diagnosis<SqlTypes> {
  readonly interpretation: Interpretation
  /** Edits that give the metric the names by which the cases of its cluster ask for it. */
  readonly aliasEdits?: readonly SlotEdit[] | undefined
}
