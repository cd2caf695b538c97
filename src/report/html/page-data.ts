import type { CaseOutcome, RunDetail } from '../../store/record-types.js'
import { diffRuns } from '../diff-runs.js'
import { describeResults, isRejected, replayCommand } from '../format-text.js'
import { reportOf } from '../json.js'

/** Earlier runs of the same project, for the page's trend and comparison. */
export interface RunHistory {
  /** Oldest first, up to the run itself. */
  readonly runs: readonly HistoryPoint[]
  /** The run before, with its cases. */
  readonly before?: RunDetail | undefined
}

export interface HistoryPoint {
  readonly id: string
  /** ISO timestamp, UTC. */
  readonly startedAt: string
  readonly total: number
  readonly counts: Readonly<Record<CaseOutcome, number>>
}

/** What the page shows, as data. */
export function pageDataOf(detail: RunDetail, { runs, before }: RunHistory) {
  const report = reportOf(detail)
  const diff = before === undefined ? undefined : diffRuns(before, detail)
  const changes = new Map(
    (diff === undefined ? [] : [...diff.fixed, ...diff.broken]).map((change) => [
      change.caseId,
      change.before,
    ]),
  )
  const added = new Set(diff?.onlyAfter)
  const alike = new Map(
    report.causes.flatMap(({ cases }) =>
      cases.map((id) => [id, cases.filter((other) => other !== id).join(', ')] as const),
    ),
  )
  return {
    ...report,
    cases: detail.cases.map((record, at) => ({
      ...report.cases[at],
      finding: describeResults(record.sample.results),
      findings: record.sample.findings,
      rerun: replayCommand(record.caseId, detail.run.options),
      before: changes.get(record.caseId),
      isNew: added.has(record.caseId) ? true : undefined,
      alike: alike.get(record.caseId),
    })),
    rejected: detail.attempts
      .filter(isRejected)
      .map(({ title, reason, cases }) => ({ title, reason, cases })),
    history: runs,
    compared:
      before === undefined
        ? undefined
        : {
            id: before.run.id,
            startedAt: before.run.startedAt,
            fixed: diff?.fixed.length ?? 0,
            broken: diff?.broken.length ?? 0,
            onlyBefore: diff?.onlyBefore ?? [],
          },
  }
}

export type PageData = ReturnType<typeof pageDataOf>
