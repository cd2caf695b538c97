import type { Snapshot } from '../../../snapshot/snapshot.js'
import { findConflictingClaims } from './diagnose/conflicting-claims.js'
import { assignRegionCluster, assignSharedSnippetClusters } from './diagnose/shared-texts.js'
import { knowledgeBaseOf, type RepairContext } from './model/repair-context.js'
import type { Diagnosis } from './model/sql-repair-types.js'
import { assignDeletedAliasCluster } from './propose/git-restore/cluster-deleted-aliases.js'
import { assignDeletedFileCluster } from './propose/git-restore/deleted-files.js'
import { assignRestoreCluster } from './propose/git-restore/restore-clusters.js'
import { assignFixableEntryCluster } from './propose/rules/fixable-entry-clusters.js'
import { assignMissingParameterClusters } from './propose/rules/missing-parameter-clusters.js'
import { clusterNewMetrics } from './propose/rules/new-metric-clusters.js'

/**
 * Completes diagnoses with what only several cases together show: that one word has several meanings, or that
 * they need one new metric. Unexplained diagnoses may be caused by a deleted file, or by removed text, unless
 * restoring that was tried already.
 */
export function relateDiagnoses(
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  context: RepairContext,
  exhausted: ReadonlySet<string>,
): Diagnosis[] {
  const kb = knowledgeBaseOf(snapshot, context)
  const rivals = findConflictingClaims(diagnoses, snapshot, kb, context)
  const withLost = diagnoses.map((each) => assignDeletedFileCluster(each, snapshot, context, exhausted))
  const regions = withLost.map((each) => assignRegionCluster(each, kb, context))
  const shared = assignSharedSnippetClusters(regions, exhausted)
  const parameters = assignMissingParameterClusters(shared, kb, context, exhausted)
  const named = assignDeletedAliasCluster(
    clusterNewMetrics(parameters, kb, context),
    snapshot,
    context,
    exhausted,
  )
  return named.map((each) => {
    const restorable = assignRestoreCluster(each, snapshot, context, exhausted)
    const diagnosis = assignFixableEntryCluster(restorable, snapshot, context, exhausted)
    const cause = rivals.get(diagnosis.evaluation.testCase.id)
    return cause === undefined ? diagnosis : { ...diagnosis, cause, cluster: undefined }
  })
}
