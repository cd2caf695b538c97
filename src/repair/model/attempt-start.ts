import type { RepairTypes } from './diagnosis.js'
import type { RepairInput } from './repair-input.js'

/** When an attempt at a repair began: what came after it is its cost. */
export interface AttemptStart {
  readonly at: number
  /** Number of model calls until then. */
  readonly calls: number
}

export function startOfAttempt<T extends RepairTypes>({
  clock,
  llmCalls,
}: Pick<RepairInput<T>, 'clock' | 'llmCalls'>): AttemptStart {
  return { at: clock(), calls: llmCalls() }
}
