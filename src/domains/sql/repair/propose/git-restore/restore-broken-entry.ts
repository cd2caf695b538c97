import type { Edit } from '../../../../../edit/edit-types.js'
import type { BrokenMetric } from '../../../../../kb/entry.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import type { PreviousVersion } from '../../model/knowledge-history.js'
import {
  formatOf,
  interpretationOf,
  knowledgeBaseOf,
  type RepairContext,
  snippetOf,
} from '../../model/repair-context.js'
import type { Diagnosis } from '../../model/sql-repair-types.js'
import { applyPlan } from '../../model/sql-repair-types.js'
import type { RestoreCandidate } from './restore-snippet.js'

/**
 * Returns the broken entry that keeps all the cases from an answer; undefined if they have none in common.
 */
export function sharedBrokenEntry(diagnoses: readonly Diagnosis[]): BrokenMetric | undefined {
  const [first, ...others] = diagnoses.map(({ interpretation }) =>
    interpretation.kind === 'unbound' ? interpretation.broken : undefined,
  )
  return others.every((other) => other?.id === first?.id) ? first : undefined
}

/** Returns the path of the entry's own file, whichever file its problem is in. */
export function brokenEntryPath({ metric, problem }: BrokenMetric): string {
  return metric?.path ?? problem.path
}

/** Returns the paths of files whose former texts may show the entry before it broke. */
export function restorablePaths(
  { interpretation }: Diagnosis,
  snapshot: Snapshot,
  context: RepairContext,
): readonly string[] {
  const { metric } = interpretation
  const broken = interpretation.kind === 'unbound' ? interpretation.broken : undefined
  const snippet =
    metric === undefined ? undefined : snippetOf(metric, knowledgeBaseOf(snapshot, context))?.path
  return [snippet, broken && brokenEntryPath(broken)].filter((path) => path !== undefined)
}

/**
 * Returns what has to be restored from the former texts of a metric's file, newest first, to make the metric
 * usable: the values of the keys that differ, without those that it does not need, unless the last change
 * removed them.
 *
 * @param states content before each change of the file, newest first
 */
export function restorableEntries(
  broken: BrokenMetric,
  states: readonly PreviousVersion[],
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  context: RepairContext,
): RestoreCandidate[] {
  const path = brokenEntryPath(broken)
  const { valuesOf } = formatOf(context).former
  const isFixed = (edits: readonly Edit[]): boolean => {
    const after = applyPlan({ edits }, snapshot)
    if (after === undefined) return false
    const kb = knowledgeBaseOf(after, context)
    return diagnoses.every(({ evaluation }) => {
      const meaning = interpretationOf(evaluation.testCase, kb, context)
      return meaning.kind === 'bound' && meaning.metric.id === broken.id
    })
  }
  return states.flatMap(({ text, by }, index): RestoreCandidate[] => {
    const values = valuesOf(broken.id, path, text, snapshot) ?? []
    const all = values.map(({ edit }) => edit)
    if (all.length === 0 || !isFixed(all)) return []
    // Content that the last change removed when it broke the file is restored with it, needed or not.
    const needed = new Set(
      index === 0 ? values.flatMap(({ edit, isAddition }) => (isAddition ? edit : [])) : [],
    )
    const edits = all.reduceRight<readonly Edit[]>((kept, edit) => {
      if (needed.has(edit)) return kept
      const fewer = kept.filter((other) => other !== edit)
      return fewer.length > 0 && isFixed(fewer) ? fewer : kept
    }, all)
    const undoes = states.slice(0, index + 1).map((state) => state.by)
    return [{ path, title: `${broken.name}: as it was before ${by}`, edits, undoes }]
  })
}
