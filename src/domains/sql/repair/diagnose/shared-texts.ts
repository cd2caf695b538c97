import { entriesNamed } from '../../../../contracts/agent-answer.js'
import type { KnowledgeBase } from '../../../../kb/entry.js'
import { regionOfAnswer } from '../model/answer-region.js'
import { bindingKey } from '../model/region-values.js'
import type { RepairContext } from '../model/repair-context.js'
import type { Diagnosis } from '../model/sql-repair-types.js'

/**
 * Assigns a diagnosis to the text that its answer was made from, if the question names no metric, or one that the
 * agent did not read: two cases that fail because of one query are evidence for each other, whatever they ask.
 */
export function assignRegionCluster(
  diagnosis: Diagnosis,
  kb: KnowledgeBase,
  context: RepairContext,
): Diagnosis {
  const { evaluation, interpretation, label, cluster } = diagnosis
  const { sample } = evaluation
  const read = entriesNamed(sample)
  const { metric } = interpretation
  const own = metric === undefined ? [] : [metric.id, `snippet:${metric.snippet}`]
  const isUnread = read.length > 0 && !own.some((id) => read.includes(id))
  const isOpen =
    label === 'missing_definition'
      ? cluster === undefined
      : label === 'wrong_definition' && interpretation.kind === 'bound' && isUnread
  if (!isOpen) return diagnosis
  const region = regionOfAnswer(evaluation, kb, context)
  if (region !== undefined)
    return {
      ...diagnosis,
      label: 'wrong_definition',
      subject: region.name,
      cause: `the query at ${region.path}:${region.line} does not match the expected query`,
      cluster: `text:${region.key}`,
      binding: bindingKey(region, evaluation, context),
      region,
    }
  if (read.length === 0 || metric !== undefined) return diagnosis
  const names = read.map((id) => id.replace(':', ' '))
  const done =
    sample.kind === 'answer'
      ? 'what the agent made of it is not the expected query'
      : 'the agent found no answer there'
  return { ...diagnosis, subject: names.join(', '), cause: `answered from ${names.join(', ')}; ${done}` }
}

/**
 * Assigns diagnoses of several metrics that share a snippet to one cluster: they would be repaired in the same lines.
 * Once that was tried, each metric is examined on its own.
 */
export function assignSharedSnippetClusters(
  diagnoses: readonly Diagnosis[],
  exhausted: ReadonlySet<string>,
): Diagnosis[] {
  const metrics = new Map<string, Set<string>>()
  for (const diagnosis of diagnoses) {
    const snippet = ownSnippetOf(diagnosis)
    if (snippet === undefined) continue
    const named = metrics.get(snippet) ?? new Set()
    metrics.set(snippet, named.add(diagnosis.interpretation.metric?.name ?? ''))
  }
  return diagnoses.map((diagnosis) => {
    const snippet = ownSnippetOf(diagnosis)
    const sharing = [...(metrics.get(snippet ?? '') ?? [])]
    const cluster = `definition:snippet:${snippet}`
    if (snippet === undefined || sharing.length < 2 || exhausted.has(cluster)) return diagnosis
    return { ...diagnosis, cluster, subject: `metrics ${sharing.join(', ')}`, isJoined: true }
  })
}

/** Returns the name of the snippet that a diagnosis blames, and nothing else. */
function ownSnippetOf({ label, cluster, interpretation, region }: Diagnosis): string | undefined {
  if (label !== 'wrong_definition' || interpretation.kind !== 'bound' || region !== undefined)
    return undefined
  return cluster === `definition:${interpretation.metric.id}` ? interpretation.metric.snippet : undefined
}
