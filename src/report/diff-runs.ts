import type { CaseOutcome, CaseRecord, RunDetail } from '../store/record-types.js'
import { formatAnswerCounts, repeatStatisticsOf } from './repeat-statistics.js'

/** A case in two runs. */
export interface CaseChange {
  readonly caseId: string
  readonly before: CaseOutcome
  readonly after: CaseOutcome
  /** Its answers, if it was asked repeatedly or was found flaky: `flaky, 3 of 5 right`. */
  readonly answersBefore: string | undefined
  readonly answersAfter: string | undefined
  /** Whether its question, expected query or options have changed. */
  readonly redefined: boolean
}

/** The changes between two runs; cases that pass in both are in none of the lists. */
export interface RunsDiff {
  /** Not passed before, passed now. */
  readonly fixed: readonly CaseChange[]
  /** Passed before, not passed now. */
  readonly broken: readonly CaseChange[]
  /** Passed in neither; the two outcomes may differ. */
  readonly stillBad: readonly CaseChange[]
  /** Asked in one of the runs only. */
  readonly onlyBefore: readonly string[]
  readonly onlyAfter: readonly string[]
}

/** Compares the final outcomes of run `a` and the later run `b`, in the order of `b`. */
export function diffRuns(a: RunDetail, b: RunDetail): RunsDiff {
  const before = askedCases(a)
  const after = askedCases(b)
  const changes = [...after.values()].flatMap((record): CaseChange[] => {
    const old = before.get(record.caseId)
    if (old === undefined) return []
    return [
      {
        caseId: record.caseId,
        before: old.outcome,
        after: record.outcome,
        answersBefore: answersOf(old),
        answersAfter: answersOf(record),
        redefined: old.fingerprint !== record.fingerprint,
      },
    ]
  })
  return {
    fixed: changes.filter((change) => !isGreen(change.before) && isGreen(change.after)),
    broken: changes.filter((change) => isGreen(change.before) && !isGreen(change.after)),
    stillBad: changes.filter((change) => !isGreen(change.before) && !isGreen(change.after)),
    onlyBefore: [...before.keys()].filter((id) => !after.has(id)),
    onlyAfter: [...after.keys()].filter((id) => !before.has(id)),
  }
}

function answersOf(record: CaseRecord): string | undefined {
  const repeats = repeatStatisticsOf(record)
  const parts = [
    ...(record.label === 'flaky' ? ['flaky'] : []),
    ...(repeats === undefined ? [] : [formatAnswerCounts(repeats)]),
  ]
  return parts.length === 0 ? undefined : parts.join(', ')
}

function askedCases(detail: RunDetail): Map<string, CaseRecord> {
  return new Map(
    detail.cases.filter((record) => record.outcome !== 'skipped').map((record) => [record.caseId, record]),
  )
}

function isGreen(outcome: CaseOutcome): boolean {
  return outcome === 'passed' || outcome === 'repaired'
}
