import type { Snapshot } from '../../snapshot/snapshot.js'
import { findRemovedLine } from '../doubts/history.js'
import type { RepairContext } from '../knowledge.js'
import type { Diagnosis } from '../plan.js'
import { draftSnippet } from '../propose/lost-snippet.js'
import { phrasesCovering } from '../propose/names/phrases.js'
import { isFixable } from '../propose/placeholders.js'
import { restorablePaths } from './broken-entry.js'

const keyPrefix = 'former:'

/**
 * A diagnosis that no change of names explains, in a cluster of the words that nothing covers, where the metric's file
 * once had them: what it was then can be tried.
 */
export function assignRestoreCluster(
  diagnosis: Diagnosis,
  snapshot: Snapshot,
  context: RepairContext,
  givenUp: ReadonlySet<string>,
): Diagnosis {
  const { cluster, evaluation, interpretation, label } = diagnosis
  const { metric } = interpretation
  if (cluster === undefined && label === 'broken_entry')
    return assignBrokenEntryCluster(diagnosis, snapshot, context, givenUp)
  if (cluster !== undefined || metric === undefined) return diagnosis
  if (interpretation.kind !== 'unbound') return diagnosis
  if (interpretation.reason !== 'missing_parameter' && interpretation.reason !== 'leftover_words')
    return diagnosis
  const word = phrasesCovering(evaluation.testCase.question, interpretation.leftovers).find(
    (each) => findRemovedLine(each, metric.path, context) !== undefined,
  )
  const key = `${keyPrefix}${metric.id}:${word?.toLowerCase() ?? ''}`
  return word === undefined || givenUp.has(key) ? diagnosis : { ...diagnosis, cluster: key }
}

/** An entry that cannot be used, in a cluster of its own where git knows what it once was, or its slip is plain. */
function assignBrokenEntryCluster(
  diagnosis: Diagnosis,
  snapshot: Snapshot,
  context: RepairContext,
  givenUp: ReadonlySet<string>,
): Diagnosis {
  const { interpretation } = diagnosis
  const broken = interpretation.kind === 'unbound' ? interpretation.broken : undefined
  const paths = restorablePaths(diagnosis, snapshot, context)
  const cluster = `${keyPrefix}${broken?.id ?? interpretation.metric?.id}:`
  const isKnown = context.removedLines?.some((line) => paths.includes(line.path)) === true
  if (isKnown && !givenUp.has(cluster)) return { ...diagnosis, cluster }
  const { metric } = interpretation
  const mend = `mend:${metric?.id}`
  if (metric === undefined || givenUp.has(mend)) return diagnosis
  const { testCase } = diagnosis.evaluation
  const canBe =
    isFixable(metric, testCase, snapshot, context) ||
    draftSnippet(metric, testCase, snapshot, context) !== undefined
  return canBe ? { ...diagnosis, cluster: mend } : diagnosis
}

export function isRestoreCluster(diagnosis: Diagnosis): boolean {
  return diagnosis.cluster?.startsWith(keyPrefix) === true
}
