import type { TaskState } from '../../domains/tdd/task-state.js'
import type { TaskMessage } from '../../store/task-rows.js'

/** What a step came to. */
export interface StepResult {
  readonly state: TaskState
  readonly messages: readonly TaskMessage[]
  /** The test about which a person has to be asked. */
  readonly ask?: { readonly test: string; readonly times: number } | undefined
}
