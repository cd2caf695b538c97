import type { Metric } from '../../../../../kb/entry.js'
import type { SlotEdit } from '../../../../../kb/entry-slots.js'
import type { Interpretation } from '../../../../../kb/question-interpretation.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import { appendToList } from '../../diagnose/metadata-changes/metadata-change.js'
import { findMetadataChanges } from '../../diagnose/metadata-changes.js'
import {
  interpretationOf,
  knowledgeBaseOf,
  matchesExpected,
  type RepairContext,
  renderEdits,
} from '../../model/repair-context.js'
import type { Diagnosis } from '../../model/sql-repair-types.js'
import { applyPlan } from '../../model/sql-repair-types.js'

/**
 * A name that the metric's file once had, the meaning of the question with it, and that this differs from
 * what is expected.
 */
interface DeletedAlias {
  readonly metric: Metric
  readonly phrase: string
  readonly meaning: Extract<Interpretation, { kind: 'bound' }>
}

/**
 * Assigns a cluster to cases whose metric lost a name and is wrong as well: neither edit alone makes them
 * pass. Once the name alone was tried, they join the cases of the metric's definition that use another name,
 * and the names are restored with the definition.
 */
export function assignDeletedAliasCluster(
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  context: RepairContext,
  givenUp: ReadonlySet<string>,
): Diagnosis[] {
  const isTried = ({ cluster }: Diagnosis): boolean => cluster !== undefined && givenUp.has(cluster)
  const unnamed = diagnoses.filter(({ label }) => label === 'missing_alias')
  if (!unnamed.some(isTried)) return [...diagnoses]
  const found = unnamed.flatMap((diagnosis) => {
    const name = findDeletedAlias(diagnosis, snapshot, context)
    return name === undefined ? [] : [{ ...name, diagnosis }]
  })
  const lost = found.filter(({ metric }) =>
    found.some((other) => other.metric.id === metric.id && isTried(other.diagnosis)),
  )
  return diagnoses.map((diagnosis) => {
    const { interpretation, cluster } = diagnosis
    const own = lost.find((name) => name.diagnosis === diagnosis)
    const metric = own?.metric ?? interpretation.metric
    const names = lost.filter((name) => name.metric.id === metric?.id)
    const isAboutIt = own !== undefined || cluster === `definition:${metric?.id}`
    const key = `definition:${metric?.id}:names`
    if (metric === undefined || names.length === 0 || !isAboutIt || givenUp.has(key)) return diagnosis
    return {
      ...diagnosis,
      label: 'wrong_definition',
      subject: `metric ${metric.name}`,
      cause: `${diagnosis.cause}; the snippet of ${metric.name} does not match the expected query`,
      cluster: key,
      interpretation: own?.meaning ?? interpretation,
      aliasEdits: aliasAdditions(metric, names),
    }
  })
}

function findDeletedAlias(
  { evaluation, interpretation }: Diagnosis,
  snapshot: Snapshot,
  context: RepairContext,
): DeletedAlias | undefined {
  if (interpretation.kind !== 'unbound') return undefined
  const { testCase } = evaluation
  const [change] = findMetadataChanges(testCase, interpretation, snapshot, context).changes
  const after =
    change === undefined
      ? undefined
      : applyPlan({ edits: renderEdits(change.edits, snapshot, context) }, snapshot)
  if (change === undefined || after === undefined) return undefined
  const kb = knowledgeBaseOf(after, context)
  const meaning = interpretationOf(testCase, kb, context)
  if (meaning.kind !== 'bound' || matchesExpected(testCase, meaning.metric, meaning.bindings, kb, context))
    return undefined
  const metric = knowledgeBaseOf(snapshot, context).metrics.find(({ id }) => id === meaning.metric.id)
  const [added] = change.edits
  const phrase = Array.isArray(added?.value) ? added.value[0] : added?.value
  return metric !== undefined && typeof phrase === 'string' ? { metric, phrase, meaning } : undefined
}

function aliasAdditions(metric: Metric, names: readonly DeletedAlias[]): SlotEdit[] {
  const phrases = [...new Set(names.map(({ phrase }) => phrase))]
  return phrases.map((phrase, at) =>
    appendToList(metric, { kind: 'aliases' }, phrase, [...metric.aliases, ...phrases.slice(0, at)]),
  )
}
