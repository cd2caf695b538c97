import type { SqlCase } from '../../../../../benchmark/case.js'
import { type KnowledgeBase, type Metric, namedSnippets } from '../../../../../kb/entry.js'
import type { SlotEdit } from '../../../../../kb/entry-slots.js'
import type { Interpretation } from '../../../../../kb/question-interpretation.js'
import { findRemovedLine } from '../../model/removed-lines.js'
import { formatOf, matchesExpected, type RepairContext } from '../../model/repair-context.js'
import { type MetadataChange, withKey } from './metadata-change.js'

type Bound = Extract<Interpretation, { kind: 'bound' }>

/**
 * Returns another snippet for the metric: one that its file once named, or that no metric names, and that
 * gives the expected query.
 */
export function snippetReferenceChanges(
  testCase: SqlCase,
  { metric, bindings }: Bound,
  kb: KnowledgeBase,
  context: RepairContext,
): MetadataChange[] {
  const others = [...kb.metrics, ...kb.broken].filter(({ id }) => id !== metric.id)
  const named = new Set(others.map(({ snippet }) => snippet))
  const ownQuery = formatOf(context).creation.queryName
  return [...kb.snippets.values()].flatMap(({ name, path }): MetadataChange[] => {
    const former = findRemovedLine(name, metric.path, context)
    const partner = findSwappedMetric(metric, name, kb, ownQuery)
    if (name === metric.snippet || (former === undefined && partner === undefined && named.has(name)))
      return []
    // Today's snippet may have been written to replace the former one, unless another metric had it already.
    const isMistaken = former !== undefined && named.has(metric.snippet)
    if (!matchesExpected(testCase, { ...metric, snippet: name }, bindings, kb, context)) return []
    if (partner !== undefined) return [swapSnippets(metric, partner, ownQuery)]
    return [
      {
        label: 'wrong_definition',
        subject: `metric ${metric.name}`,
        title: `${metric.name}: its snippet is ${name}, not ${metric.snippet}`,
        reasoning: `${path} matches the expected query${former === undefined ? ', and no metric uses it' : `; ${former.by} removed it from ${metric.name}`}`,
        concern: isMistaken ? undefined : `only one case supports ${name} for ${metric.name}`,
        ...withKey([snippetReferenceEdit(metric, metric.snippet, name)]),
      },
    ]
  })
}

/**
 * Returns the metric whose snippet is named like this metric, while this metric has the snippet named like
 * that one.
 */
function findSwappedMetric(
  metric: Metric,
  name: string,
  { metrics }: KnowledgeBase,
  ownQuery: (metric: string) => string,
): Metric | undefined {
  if (name !== ownQuery(metric.name)) return undefined
  return metrics.find((other) => other.snippet === name && metric.snippet === ownQuery(other.name))
}

/** Gives each metric its own snippet again: one change for the cases of both. */
function swapSnippets(metric: Metric, partner: Metric, ownQuery: (metric: string) => string): MetadataChange {
  const both = [metric, partner].sort((a, b) => (a.path < b.path ? -1 : 1))
  const names = both.map(({ name }) => name).join(' and ')
  return {
    label: 'wrong_definition',
    subject: `metrics ${names}`,
    title: `${names} had each other's snippet`,
    reasoning: 'each snippet has the name of the other metric, and matches the expected query of that metric',
    concern: `only one case supports swapping the snippets of ${names}`,
    ...withKey(both.map((each) => snippetReferenceEdit(each, each.snippet, ownQuery(each.name)))),
  }
}

/**
 * Returns a snippet for a metric that names one which never existed, or one of another metric which does not
 * fit: a snippet that its file once named, or that no metric names. A snippet that was renamed or deleted is
 * handled by restoring it from git.
 */
export function brokenReferenceChanges(
  { metric }: Extract<Interpretation, { kind: 'unbound' }>,
  kb: KnowledgeBase,
  context: RepairContext,
): MetadataChange[] {
  const wrong = kb.broken.find(({ id }) => id === metric?.id)?.snippet
  if (metric === undefined || wrong === undefined) return []
  // A snippet that does not fit and that belongs to another metric: the author did not mean it for this one.
  const isThere = kb.snippets.has(wrong)
  if (isThere && !kb.metrics.some(({ id, snippet }) => id !== metric.id && snippet === wrong)) return []
  const wrongPath = formatOf(context).creation.queryPath(wrong, context.kbFolder)
  const isLost = context.removedLines?.some(({ path }) => path === wrongPath)
  if (isLost === true && !isThere) return []
  const named = namedSnippets(kb)
  return [...kb.snippets.values()]
    .filter(({ name }) => !named.has(name) || findRemovedLine(name, metric.path, context) !== undefined)
    .map(({ name, path }) => ({
      label: 'wrong_definition',
      subject: `metric ${metric.name}`,
      title: `${metric.name}: its snippet is ${name}, ${isThere ? `not ${wrong}` : `and there is no ${wrong}`}`,
      reasoning: `with ${path} the metric matches the expected query`,
      ...withKey([snippetReferenceEdit(metric, wrong, name)]),
    }))
}

function snippetReferenceEdit({ path, id }: Metric, from: string, to: string): SlotEdit {
  const slot = { kind: 'query_name' } as const
  return { path, entry: id, action: 'set', slot, expected: from, value: to }
}
