import { describeCause, oneLine } from '../../report/format-text.js'
import type { CaseRecord } from '../../store/record-types.js'

/** A run that ends sooner shows the case among its results. */
const noteAfterMs = 2000

/**
 * Names the first case that fails as soon as it is known, once, where the results are not there within two seconds: the
 * whole run may take an hour.
 */
export function createFirstFailure(note: (text: string) => void): {
  readonly see: (record: CaseRecord) => void
  readonly end: () => void
} {
  let timer: NodeJS.Timeout | undefined
  return {
    see(record) {
      if (timer !== undefined || record.outcome === 'passed' || record.outcome === 'skipped') return
      timer = setTimeout(
        () => note(`first failing case: ${oneLine(record.caseId)}: ${describeCause(record)}`),
        noteAfterMs,
      )
      timer.unref()
    },
    end: () => clearTimeout(timer),
  }
}
