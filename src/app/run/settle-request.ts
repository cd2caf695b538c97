import type { GitState } from '../../git/inspect-repository.js'
import type { AcceptedRepair } from '../../repair/model/repair-input.js'
import type { RunStore } from '../../store/store.js'
import type { RunListener } from './run-events.js'
import type { RunRequest } from './run-request.js'
import type { Decide } from './user-decision.js'

/** The repairs of one run that were written into the working tree, and how they are settled. */
export interface SettleRequest {
  readonly root: string
  readonly runId: string
  readonly accepted: readonly AcceptedRepair[]
  /** The repository before anything was written. */
  readonly git: GitState
  readonly commit: RunRequest['commit']
  /** Undefined if nobody can be asked. */
  readonly decide: Decide | undefined
  readonly store: RunStore
  /** Aborted by an interrupt: no further commit is made. */
  readonly signal?: AbortSignal | undefined
  readonly listener: RunListener
  readonly now: () => Date
}
