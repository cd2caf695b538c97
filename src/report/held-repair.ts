import type { QuestionRecord } from '../store/question-types.js'
import type { AttemptRecord } from '../store/record-types.js'

/** Returns the repair that a question is about, with the edits that accepting it writes; undefined if none is proved. */
export function heldRepair(
  { repair }: QuestionRecord,
  attempts: readonly AttemptRecord[],
): AttemptRecord | undefined {
  return attempts.find(({ id }) => id === repair)
}
