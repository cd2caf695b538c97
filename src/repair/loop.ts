import { AutotestError } from '../errors.js'
import type { RepairInput, RepairResult } from './input.js'
import type { Cluster } from './plan.js'
import { RepairState } from './state.js'
import { clusterDiagnoses } from './triage/cluster.js'
import { planCandidates } from './units.js'

/**
 * Repairs causes one at a time: triage, propose, validate, verify, accept or reject; after an accept the rest is
 * looked at again on the new snapshot. A cause is given up when its plans are used up.
 */
export async function repairFailures(input: RepairInput): Promise<RepairResult> {
  const state = new RepairState(input)
  let announced = false
  let ended: AutotestError | undefined
  let open: readonly Cluster[] = []
  while (!input.signal.aborted) {
    const diagnoses = state.diagnoseOpen()
    const clusters = clusterDiagnoses(diagnoses.filter((diagnosis) => !state.isSuspect(diagnosis))).filter(
      (cluster) => !state.givenUp.has(cluster.key),
    )
    open = clusters
    if (!announced && diagnoses.length > 0) {
      input.onStart(diagnoses.length, clusterDiagnoses(diagnoses).length)
      announced = true
    }
    if (input.maxRetries === 0) break
    const toAsk = state.nextClusterForProposer(clusters)
    const unit = toAsk === undefined ? planCandidates(clusters, state.planner, state.givenUp)[0] : undefined
    if (toAsk === undefined && unit === undefined && state.diagnoses.clear()) continue
    try {
      if (toAsk !== undefined) await state.askProposerFirst(toAsk)
      else if (unit !== undefined) await state.tryCandidate(unit)
      else break
    } catch (error) {
      // The plan under way was not verified: it is dropped, and what was accepted before stands.
      if (!(error instanceof AutotestError)) throw error
      ended = error
      break
    }
  }
  if (ended !== undefined || input.signal.aborted)
    state.recordUnfinished(open, describeTermination(ended, input.signal))
  const { snapshot, accepted, findings, unverified } = state
  return { snapshot, accepted, findings: findings.byCase, abortedBy: ended, unverified }
}

function describeTermination(ended: AutotestError | undefined, { reason }: AbortSignal): string {
  if (ended !== undefined) return `not repaired: ${ended.message}`
  const isLate = reason instanceof DOMException && reason.name === 'TimeoutError'
  return `not repaired: ${isLate ? 'the time of the run was over' : 'the run was interrupted'}`
}
