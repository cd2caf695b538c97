import type { Snapshot } from '../../snapshot/snapshot.js'
import { withFormerCluster } from '../former/clusters.js'
import { withLostFile } from '../former/lost-files.js'
import { withLostNames } from '../former/lost-names.js'
import { knowledgeOf, type RepairContext } from '../knowledge.js'
import type { Diagnosis } from '../plan.js'
import { withLostParameters } from './lost-parameters.js'
import { clusterNewMetrics } from './new-metrics.js'
import { rivalWords } from './rival-words.js'

/**
 * Diagnoses with what only several cases together tell: that one word means different things, that they need one new
 * metric. Those that nothing explains may be about a file that is gone, or what one once had, unless that was tried.
 */
export function comparedWithOthers(
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  context: RepairContext,
  givenUp: ReadonlySet<string>,
): Diagnosis[] {
  const kb = knowledgeOf(snapshot, context)
  const rivals = rivalWords(diagnoses, snapshot, kb, context)
  const withLost = diagnoses.map((each) => withLostFile(each, snapshot, context, givenUp))
  const parameters = withLostParameters(withLost, kb, context, givenUp)
  const named = withLostNames(clusterNewMetrics(parameters, kb, context), snapshot, context, givenUp)
  return named.map((each) => {
    const diagnosis = withFormerCluster(each, snapshot, context, givenUp)
    const cause = rivals.get(diagnosis.evaluation.testCase.id)
    return cause === undefined ? diagnosis : { ...diagnosis, cause, cluster: undefined }
  })
}
