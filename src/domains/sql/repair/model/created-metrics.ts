import type { Metric } from '../../../../kb/entry.js'
import { readText, type Snapshot } from '../../../../snapshot/snapshot.js'
import { knowledgeBaseOf, type RepairContext } from './repair-context.js'

/**
 * Returns metrics that only the second of two states of the knowledge base has; an empty file counts as no
 * metric.
 */
export function createdMetrics(snapshot: Snapshot, candidate: Snapshot, context: RepairContext): Metric[] {
  const { metrics, broken } = knowledgeBaseOf(snapshot, context)
  const there = broken.filter(({ problem }) => (readText(snapshot, problem.path) ?? '').trim() !== '')
  const known = new Set([...metrics, ...there].map(({ id }) => id))
  return knowledgeBaseOf(candidate, context).metrics.filter(({ id }) => !known.has(id))
}
