import { AutotestError } from '../../errors.js'
import type { RepairCandidate } from './candidate.js'
import { notedBehindCause } from './case-findings.js'
import type { RepairTypes } from './diagnosis.js'
import type { RepairState } from './repair-state.js'

/** Reports whether an error says that agent or engine failed while a cause was examined, which proves nothing about it. */
export function isUnverified(error: unknown): error is AutotestError {
  return error instanceof AutotestError && (error.code === 'not_verified' || error.code === 'query_timeout')
}

/** Returns the state with a note that nothing is known of the plans for a candidate, so that no other is tried for it. */
export function unverifiedState<T extends RepairTypes>(
  error: AutotestError,
  { key, diagnoses }: RepairCandidate<T>,
  state: RepairState<T>,
): RepairState<T> {
  return {
    ...state,
    findings: notedBehindCause(state.findings, diagnoses, `not verified: ${error.message}`),
    unverified: [...state.unverified, error.message],
    exhausted: new Set([...state.exhausted, key]),
  }
}
