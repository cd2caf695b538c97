import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import { restoreClusterOf } from '../../model/git-restore-cluster-key.js'
import { phrasesCovering } from '../../model/question-phrases.js'
import { findRemovedLine } from '../../model/removed-lines.js'
import type { RepairContext } from '../../model/repair-context.js'
import type { Diagnosis } from '../../model/sql-repair-types.js'
import { restorablePaths } from './restore-broken-entry.js'

/**
 * Assigns a diagnosis that no change of names explains to a cluster of its uncovered words, if the metric's
 * file once had them: then the former text can be tried.
 */
export function assignRestoreCluster(
  diagnosis: Diagnosis,
  snapshot: Snapshot,
  context: RepairContext,
  exhausted: ReadonlySet<string>,
): Diagnosis {
  const { cluster, evaluation, interpretation, label } = diagnosis
  const { metric } = interpretation
  if (cluster === undefined && label === 'broken_entry')
    return assignBrokenEntryCluster(diagnosis, snapshot, context, exhausted)
  if (cluster !== undefined || metric === undefined) return diagnosis
  if (interpretation.kind !== 'unbound') return diagnosis
  if (interpretation.reason !== 'missing_parameter' && interpretation.reason !== 'leftover_words')
    return diagnosis
  const word = phrasesCovering(evaluation.testCase.question, interpretation.leftovers).find(
    (each) => findRemovedLine(each, metric.path, context) !== undefined,
  )
  const key = restoreClusterOf(metric.id, word)
  return word === undefined || exhausted.has(key) ? diagnosis : { ...diagnosis, cluster: key }
}

/** Assigns a broken entry to its own cluster if git has a former version of it. */
function assignBrokenEntryCluster(
  diagnosis: Diagnosis,
  snapshot: Snapshot,
  context: RepairContext,
  exhausted: ReadonlySet<string>,
): Diagnosis {
  const { interpretation } = diagnosis
  const broken = interpretation.kind === 'unbound' ? interpretation.broken : undefined
  const paths = restorablePaths(diagnosis, snapshot, context)
  const cluster = restoreClusterOf(broken?.id ?? interpretation.metric?.id ?? '')
  const isKnown = context.removedLines?.some((line) => paths.includes(line.path)) === true
  return isKnown && !exhausted.has(cluster) ? { ...diagnosis, cluster } : diagnosis
}
