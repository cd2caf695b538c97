import type { RejectedRepair } from '../../contracts/rejected-repair.js'
import { AutotestError } from '../../errors.js'
import type { AttemptRecord, RunDetail } from '../../store/record-types.js'
import { heldRepairs } from '../project/held-repairs.js'
import type { StoreRequest } from '../project/project-request.js'
import { openProjectStore } from '../project/project-store.js'
import { recordRejections } from '../project/record-rejections.js'
import { withProjectLock } from '../project/with-project-lock.js'
import type { RepairsContext } from './repairs-context.js'
import { settleHeldGates } from './settle-held-gates.js'

export interface RejectRequest extends StoreRequest {
  /** Id of a run, the start of one, or `last`. */
  readonly run: string
  /** Only this repair; undefined: all of them. */
  readonly repair?: string | undefined
  readonly reason: string
}

/**
 * Records that the repairs of a run, planned, held or written, are not wanted: later runs do not propose them again.
 * Files stay as they are.
 */
export async function rejectRun(
  request: RejectRequest,
  context: RepairsContext,
): Promise<{ readonly rejected: readonly RejectedRepair[]; readonly written: readonly AttemptRecord[] }> {
  const { config, store } = await openProjectStore(request, context.now)
  try {
    const runId = store.resolveRun(request.run)
    const detail = store.runDetail(runId)
    const repairs = detail === undefined ? [] : chosenRepairs(detail, request.repair)
    if (detail === undefined || repairs.length === 0)
      throw new AutotestError('usage', `run ${runId} has no repairs to reject`, {
        hint: 'autotest runs shows the runs.',
      })
    const { root } = config
    const rejected = await withProjectLock(root, context.onNote, () =>
      recordRejections({ root, store, runId, repairs, reason: request.reason, now: context.now }),
    )
    for (const { id } of heldRepairs(detail).filter((each) => repairs.includes(each)))
      store.refuseRepair(runId, id, context.now())
    if (request.repair === undefined) settleHeldGates(store, root, runId, 'reject', context.now())
    const isWritten = detail.run.mode === 'repair' || detail.run.decision === 'kept'
    return { rejected, written: isWritten ? repairs.filter(({ outcome }) => outcome === 'accepted') : [] }
  } finally {
    store.close()
  }
}

function chosenRepairs(detail: RunDetail, repair: string | undefined): readonly AttemptRecord[] {
  const { run, attempts } = detail
  const held = new Set(heldRepairs(detail).map(({ id }) => id))
  const proposed = attempts.filter(({ id, outcome }) => outcome !== 'rejected' || held.has(id))
  if (repair === undefined) return proposed
  const chosen = proposed.filter(({ id }) => id === repair)
  if (chosen.length > 0) return chosen
  throw new AutotestError('usage', `run ${run.id} has no repair "${repair}"`, {
    hint: `Its repairs: ${proposed.map(({ id }) => id).join(', ')}; autotest runs show ${run.id} shows them.`,
  })
}
