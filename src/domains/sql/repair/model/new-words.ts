import type { KnowledgeBase, Metric } from '../../../../kb/entry.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { createdMetrics } from './created-metrics.js'
import { wordsAddedBy } from './edited-words.js'
import { findRemovedLine } from './removed-lines.js'
import { knowledgeBaseOf, type RepairContext, slotEditsIn } from './repair-context.js'
import type { RepairPlan } from './sql-repair-types.js'

/** A word that a plan makes known, and what it would then mean. */
export interface NewWord {
  readonly word: string
  readonly metric: Metric
  /** The parameter that it is a value of; undefined for a name of the metric. */
  readonly parameter: string | undefined
}

/** Returns words that a plan makes known and that its files did not have before: names and values. */
export function newWords(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  after: KnowledgeBase,
  context: RepairContext,
): NewWord[] {
  const edited = slotEditsIn(plan.edits, context).flatMap((edit): NewWord[] => {
    if (edit.action === 'remove' || edit.action === 'rename') return []
    const metric = after.metrics.find(({ id }) => id === edit.entry)
    const parameter = 'parameter' in edit.slot ? edit.slot.parameter : undefined
    const isWord = ['aliases', 'values', 'value', 'choice_aliases'].includes(edit.slot.kind)
    if (metric === undefined || !isWord) return []
    return wordsAddedBy([edit]).map(({ word }) => ({ word, metric, parameter }))
  })
  const created = createdMetrics(snapshot, candidate, context).flatMap((metric) =>
    metric.aliases.map((word): NewWord => ({ word, metric, parameter: undefined })),
  )
  const known = new Set(
    knowledgeBaseOf(snapshot, context).metrics.flatMap((metric) =>
      metric.aliases.map((alias) => alias.toLowerCase()),
    ),
  )
  const isKnown = ({ word, metric, parameter }: NewWord): boolean =>
    plan.isRestored === true ||
    // A name that moves from one metric to another was answered before.
    (parameter === undefined && known.has(word.toLowerCase())) ||
    findRemovedLine(word, metric.path, context) !== undefined
  return [...edited, ...created].filter((each) => !isKnown(each))
}
