import type { RunDetail } from '../../store/record-types.js'
import type { Drift } from './drift.js'

/** Whether the loop did with one drift what is documented for it. */
export interface DriftResult {
  readonly drift: Drift
  readonly kept: boolean
  /** The outcome in words. */
  readonly outcome: string
}

export function checkDriftExpectations(drifts: readonly Drift[], detail: RunDetail): DriftResult[] {
  return drifts.map((drift) => {
    const cases = detail.cases.filter((record) => drift.cases.includes(record.caseId))
    if (cases.length < drift.cases.length) return { drift, kept: false, outcome: 'its cases were not run' }
    if (drift.expect === 'needs_person') {
      const untouched = cases.every((record) => record.repairId === undefined)
      const named = cases.every((record) => record.label === drift.cause)
      const found = [...new Set(cases.map((record) => record.label ?? record.outcome))].join(', ')
      return {
        drift,
        kept: untouched && named,
        outcome: untouched ? `needs review: ${found}` : 'wrongly repaired',
      }
    }
    const open = cases.filter((record) => record.outcome !== 'repaired' && record.outcome !== 'pending')
    if (open.length > 0)
      return { drift, kept: false, outcome: `${open.length} of ${cases.length} cases not repaired` }
    const changed = changedLines(drift, detail)
    const limit = drift.max_changed_lines
    const small = limit === undefined || (changed.added <= limit.added && changed.removed <= limit.removed)
    const lines = `+${changed.added} -${changed.removed} lines`
    return {
      drift,
      kept: small,
      outcome: small ? `repaired, ${lines}` : `repaired with more lines than expected: ${lines}`,
    }
  })
}

/** Counts the lines that the accepted repairs changed in the files of the drift. */
function changedLines(drift: Drift, detail: RunDetail): { added: number; removed: number } {
  const files = new Set(drift.edits.map((edit) => edit.file))
  const edits = detail.attempts
    .filter(
      (attempt) => attempt.outcome === 'accepted' && attempt.cases.some((id) => drift.cases.includes(id)),
    )
    .flatMap((attempt) => attempt.edits.filter((edit) => files.has(edit.file)))
  return {
    added: edits.reduce((sum, edit) => sum + edit.added, 0),
    removed: edits.reduce((sum, edit) => sum + edit.removed, 0),
  }
}
