import type { Snapshot } from '../../snapshot/snapshot.js'
import { assignRestoreCluster } from '../former/clusters.js'
import { assignDeletedFileCluster } from '../former/lost-files.js'
import { assignDeletedAliasCluster } from '../former/lost-names.js'
import { knowledgeBaseOf, type RepairContext } from '../knowledge.js'
import type { Diagnosis } from '../plan.js'
import { assignMissingParameterClusters } from './lost-parameters.js'
import { clusterNewMetrics } from './new-metrics.js'
import { findConflictingClaims } from './rival-words.js'

/**
 * Diagnoses with what only several cases together tell: that one word means different things, that they need one new
 * metric. Those that nothing explains may be about a file that is gone, or what one once had, unless that was tried.
 */
export function diagnoseAcrossCases(
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  context: RepairContext,
  givenUp: ReadonlySet<string>,
): Diagnosis[] {
  const kb = knowledgeBaseOf(snapshot, context)
  const rivals = findConflictingClaims(diagnoses, snapshot, kb, context)
  const withLost = diagnoses.map((each) => assignDeletedFileCluster(each, snapshot, context, givenUp))
  const parameters = assignMissingParameterClusters(withLost, kb, context, givenUp)
  const named = assignDeletedAliasCluster(
    clusterNewMetrics(parameters, kb, context),
    snapshot,
    context,
    givenUp,
  )
  return named.map((each) => {
    const diagnosis = assignRestoreCluster(each, snapshot, context, givenUp)
    const cause = rivals.get(diagnosis.evaluation.testCase.id)
    return cause === undefined ? diagnosis : { ...diagnosis, cause, cluster: undefined }
  })
}
