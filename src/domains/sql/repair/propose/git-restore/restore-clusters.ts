import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import { restoreClusterOf } from '../../model/git-restore-cluster-key.js'
import { phrasesCovering } from '../../model/question-phrases.js'
import { findRemovedLine } from '../../model/removed-lines.js'
import { knowledgeBaseOf, type RepairContext, snippetOf } from '../../model/repair-context.js'
import type { Diagnosis } from '../../model/sql-repair-types.js'
import { assignDeletedFileCluster } from './deleted-files.js'

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
  if (cluster !== undefined) return diagnosis
  const isUncovered =
    interpretation.kind === 'unbound' &&
    (interpretation.reason === 'missing_parameter' || interpretation.reason === 'leftover_words')
  if (!isUncovered || metric === undefined) return assignOwnCluster(diagnosis, snapshot, context, exhausted)
  const word = phrasesCovering(evaluation.testCase.question, interpretation.leftovers).find(
    (each) => findRemovedLine(each, metric.path, context) !== undefined,
  )
  const key = restoreClusterOf(metric.id, word)
  return word === undefined || exhausted.has(key)
    ? assignOwnCluster(diagnosis, snapshot, context, exhausted)
    : { ...diagnosis, cluster: key }
}

/**
 * Assigns what nothing explains to a cluster of its own: the change with which the case began to fail may be taken back. A
 * deleted file that was tried explains it.
 */
function assignOwnCluster(
  diagnosis: Diagnosis,
  snapshot: Snapshot,
  context: RepairContext,
  exhausted: ReadonlySet<string>,
): Diagnosis {
  const cluster = restoreClusterOf('case', diagnosis.evaluation.testCase.id)
  const { removedLines = [] } = context
  if (removedLines.length === 0 || exhausted.has(cluster)) return diagnosis
  const { cluster: deleted } = assignDeletedFileCluster(diagnosis, snapshot, context, new Set())
  return deleted === undefined ? { ...diagnosis, cluster } : diagnosis
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

/** Returns the paths of files whose former texts may show the entry before it broke. */
function restorablePaths(
  { interpretation }: Diagnosis,
  snapshot: Snapshot,
  context: RepairContext,
): readonly string[] {
  const { metric } = interpretation
  const broken = interpretation.kind === 'unbound' ? interpretation.broken : undefined
  const snippet =
    metric === undefined ? undefined : snippetOf(metric, knowledgeBaseOf(snapshot, context))?.path
  return [snippet, broken && (broken.metric?.path ?? broken.problem.path)].filter(
    (path) => path !== undefined,
  )
}
