import type { KnowledgeBase } from '../../../../../kb/entry.js'
import type { RepairContext } from '../../model/repair-context.js'
import type { Diagnosis } from '../../model/sql-repair-types.js'
import { draftMatches, draftMetric, type MetricDraft } from './new-metric.js'

/**
 * Assigns diagnoses to a cluster if they need one new metric: two or more cases that no metric answers, that
 * name it by the same words and whose expected queries are one query with the values of each question in it.
 * If the words are equal and the queries are not, the cases get no cluster.
 */
export function clusterNewMetrics(
  diagnoses: readonly Diagnosis[],
  kb: KnowledgeBase,
  context: RepairContext,
): Diagnosis[] {
  const byAlias = new Map<string, { diagnosis: Diagnosis; draft: MetricDraft }[]>()
  for (const diagnosis of diagnoses) {
    if (diagnosis.label !== 'missing_definition' || diagnosis.cluster !== undefined) continue
    const draft = draftMetric(diagnosis, kb, context)
    if (draft === undefined) continue
    const alias = draft.alias.toLowerCase()
    byAlias.set(alias, [...(byAlias.get(alias) ?? []), { diagnosis, draft }])
  }
  const clusters = new Map<Diagnosis, string>()
  for (const [alias, members] of byAlias) {
    const [first] = members
    if (first === undefined || members.length < 2) continue
    if (!members.every(({ diagnosis }) => draftMatches(first.draft, diagnosis, kb, context))) continue
    for (const { diagnosis } of members) clusters.set(diagnosis, `new:${alias}`)
  }
  return diagnoses.map((diagnosis) => {
    const cluster = clusters.get(diagnosis)
    return cluster === undefined ? diagnosis : { ...diagnosis, cluster }
  })
}
