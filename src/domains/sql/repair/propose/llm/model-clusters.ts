import { entriesNamed } from '../../../../../contracts/agent-answer.js'
import type { KnowledgeBase } from '../../../../../kb/entry.js'
import { missingMetricName } from '../../model/missing-metric-name.js'
import type { RepairContext } from '../../model/repair-context.js'
import type { Diagnosis } from '../../model/sql-repair-types.js'

/** Causes that rules leave to a person, and that a model may know an edit for. */
const worthAsking: ReadonlySet<string> = new Set([
  'missing_definition',
  'missing_value',
  'missing_alias',
  'retrieval_miss',
  'broken_entry',
])

/**
 * Assigns a diagnosis for which rules have no plan to the cluster of its metric, or of the name that its
 * question uses for a missing metric: a new metric requires two cases.
 */
export function assignModelCluster(
  diagnosis: Diagnosis,
  kb: KnowledgeBase,
  context: RepairContext,
): Diagnosis {
  const { cluster, label, interpretation, evaluation } = diagnosis
  if (cluster !== undefined || !worthAsking.has(label)) return diagnosis
  const { id, question } = evaluation.testCase
  const [read, ...more] = entriesNamed(evaluation.sample)
  // The same entry and the same difference: probably the same words of it.
  if (interpretation.metric === undefined && read !== undefined && more.length === 0)
    return { ...diagnosis, cluster: `${label}:${read}:${evaluation.score.reason.split(';', 1)[0]}` }
  const name =
    label === 'missing_definition'
      ? missingMetricName(question, kb, context.asOf(evaluation.testCase))
      : undefined
  const about = interpretation.metric?.id ?? (name === undefined ? `case:${id}` : `named:${name}`)
  return { ...diagnosis, cluster: `${label}:${about}` }
}
