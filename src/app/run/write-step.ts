import type { GitState } from '../../git/inspect-repository.js'
import type { AcceptedRepair, RepairResult } from '../../repair/model/repair-input.js'
import type { CaseRecord } from '../../store/record-types.js'
import { writablePlaces } from '../project/writable-places.js'
import { describeDirtyFile } from '../project/write-obstacles.js'
import type { ExecuteRequest, MeasuredBaseline, StartedRun } from './run-state.js'

const nothingWritten: GitState = { kind: 'none', reason: 'nothing was written' }

/** What was written. */
export interface WrittenRepairs {
  /** The repository before the first byte was written. */
  readonly git: GitState
  /** All repairs that were to be written; none if the run was interrupted before the last of them. */
  readonly accepted: readonly AcceptedRepair[]
}

/**
 * Writes the kept repairs, in order, and the rows of their cases. A run that is interrupted meanwhile takes back what it
 * wrote, so that it can be resumed.
 *
 * @param accepted the repairs that are kept: none of an interrupted run
 */
export async function writeStep(
  started: StartedRun,
  accepted: readonly AcceptedRepair[],
  repaired: RepairResult,
  { failedRows }: MeasuredBaseline,
): Promise<WrittenRepairs> {
  const { request, run } = started
  await warnDirtyFiles(accepted, request)
  const written =
    request.mode === 'repair'
      ? await writeRepairs(started, accepted, repaired.accepted)
      : { git: nothingWritten, accepted }
  for (const row of settledRows(failedRows, repaired, written.accepted, request))
    request.store.recordCases(run.id, [row])
  return written
}

/** Warns about files that prevent applying the plans of a dry run in their present state. */
async function warnDirtyFiles(
  accepted: readonly AcceptedRepair[],
  { mode, project, store, listener }: ExecuteRequest,
): Promise<void> {
  if (mode !== 'dry_run') return
  // If several repairs change a file, the content after the last of them.
  const last = new Map(accepted.flatMap(({ changes }) => changes.map((change) => [change.path, change])))
  for (const change of last.values()) {
    const words = await describeDirtyFile(project.config.root, change, store)
    if (words !== undefined) listener({ kind: 'note', text: `${words}: commit that before autotest apply` })
  }
}

/**
 * Writes repairs; those after one that cannot be written, and those that are not kept, are recorded as
 * rejected: what the database calls accepted is in the working tree.
 */
async function writeRepairs(
  { request, run }: StartedRun,
  kept: readonly AcceptedRepair[],
  all: readonly AcceptedRepair[],
): Promise<WrittenRepairs> {
  let written = 0
  try {
    if (kept.length === 0) return { git: nothingWritten, accepted: [] }
    const places = writablePlaces(request.project.config)
    const { inspectRepository } = await import('../../git/inspect-repository.js')
    const git = await inspectRepository(places.root)
    const { openJournal } = await import('../../edit/journal.js')
    const { now } = request
    const journal = await openJournal({ ...places, now, pid: process.pid })
    for (const { attempt, changes } of kept) {
      if (request.signal.aborted) break
      await journal.write(run.id, attempt.id, changes)
      written++
    }
    if (written === kept.length) return { git, accepted: kept }
    if (written > 0) await journal.revert(run.id)
    written = 0
    return { git: nothingWritten, accepted: [] }
  } finally {
    for (const { attempt } of all.slice(written))
      request.store.updateAttempt(run.id, attempt.id, { outcome: 'rejected' })
  }
}

/** Returns the rows of the failing cases once repair is over. */
function settledRows(
  rows: ReadonlyMap<string, CaseRecord>,
  repaired: RepairResult,
  accepted: readonly AcceptedRepair[],
  { mode }: ExecuteRequest,
): CaseRecord[] {
  const kept = new Set(accepted.map(({ attempt }) => attempt.id))
  return [...repaired.findings].flatMap(([id, finding]) => {
    const row = rows.get(id)
    if (row === undefined) return []
    const { label, cause, retries, sharedCause } = finding
    const repairId =
      finding.repairId !== undefined && kept.has(finding.repairId) ? finding.repairId : undefined
    if (repairId === undefined) {
      const isUnwritten = finding.repairId !== undefined
      const why = isUnwritten ? '; verified, but not written: the run was interrupted' : ''
      return [{ ...row, label, cause: `${cause}${why}`, retries, sharedCause }]
    }
    return [
      {
        ...row,
        label,
        cause,
        retries,
        sharedCause,
        repairId,
        outcome: mode === 'dry_run' ? 'pending' : 'repaired',
        verdict: mode === 'dry_run' ? row.verdict : 'pass',
      } as const,
    ]
  })
}
