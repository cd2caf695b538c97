import { messageOf } from '../../errors.js'
import type { AcceptedRepair } from '../../repair/model/repair-input.js'
import type { RunDetail } from '../../store/record-types.js'
import type { RunStore } from '../../store/store.js'
import { heldRepairs } from '../project/held-repairs.js'
import type { WritablePlaces } from '../project/writable-places.js'
import type { RunListener } from './run-events.js'
import type { Decide } from './user-decision.js'

export interface AcceptHeldRequest {
  /** Where the project's repairs may write. */
  readonly places: WritablePlaces
  readonly detail: RunDetail
  readonly store: RunStore
  readonly decide: Decide
  readonly listener: RunListener
  readonly now: () => Date
}

/** Asks a person about each repair that is held, and writes those that are accepted; returns these. */
export async function acceptHeldRepairs(request: AcceptHeldRequest): Promise<AcceptedRepair[]> {
  const { detail, store, decide, listener, now } = request
  const accepted: AcceptedRepair[] = []
  for (const repair of heldRepairs(detail)) {
    const answer = await decide({
      kind: 'held_repair',
      runId: detail.run.id,
      repair,
      reason: repair.reason?.replace(/^held: /u, '') ?? '',
      options: ['accept', 'leave'],
    })
    if (answer === undefined) return accepted
    if (answer !== 'accept') continue
    const changes = store
      .editsOf(detail.run.id, repair.id)
      .map(({ path, before, after }) => ({ path, before, after }))
    try {
      const { openJournal } = await import('../../edit/journal.js')
      const journal = await openJournal({ ...request.places, now, pid: process.pid })
      await journal.write(detail.run.id, repair.id, changes)
    } catch (error) {
      listener({ kind: 'warning', text: `${repair.title}: not written: ${messageOf(error)}` })
      continue
    }
    store.acceptRepair(detail.run.id, repair.id, now())
    accepted.push({ attempt: { ...repair, outcome: 'accepted', reason: undefined }, changes })
  }
  return accepted
}
