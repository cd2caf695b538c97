import type { RejectedRepair } from '../../contracts/rejected-repair.js'
import type { RunMode, RunRecord } from '../../store/record-types.js'

import type { RunStore } from '../../store/store.js'
import type { Project } from '../project/project.js'
import type { RunDomain } from './run-domain.js'
import type { RunListener } from './run-events.js'

/** The options of one run. */
export interface ExecuteRequest {
  readonly domain: RunDomain
  readonly project: Project
  readonly mode: RunMode
  /** Ids the user named, which are never held out while proposing. */
  readonly namedCaseIds: readonly string[]
  /** Repairs that people rejected. */
  readonly rejected: readonly RejectedRepair[]
  /** Ids of cases that are followed although people wrote that the knowledge was changed on purpose. */
  readonly followBenchmark: readonly string[]
  /** The interrupted run to finish. */
  readonly resume: RunRecord | undefined
  /** The options that determine what is asked. */
  readonly options: Readonly<Record<string, unknown>>
  /** How often each case is asked, from 1. */
  readonly times: number
  readonly store: RunStore
  /** Whether a file with the user's uncommitted changes may be repaired. */
  readonly allowDirty: boolean
  /** Environment variables, for the API keys of models. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute folders that models' replies are recorded to, or read from. */
  readonly record: string | undefined
  readonly replay: string | undefined
  readonly signal: AbortSignal
  readonly listener: RunListener
  readonly now: () => Date
}
