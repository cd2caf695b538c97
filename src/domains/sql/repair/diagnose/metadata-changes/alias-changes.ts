import type { SqlCase } from '../../../../../benchmark/case.js'
import type { KnowledgeBase, Metric } from '../../../../../kb/entry.js'
import type { Interpretation } from '../../../../../kb/question-interpretation.js'
import { containsWords } from '../../../../../kb/words/contains-words.js'
import { isSamePhrase } from '../../model/edited-words.js'
import { phrasesCovering } from '../../model/question-phrases.js'
import { findRemovedAlias, removedNamesIn } from '../../model/removed-lines.js'
import {
  expectedSqlFor,
  interpretationOf,
  matchesExpected,
  metricsOnTablesOf,
  type RepairContext,
} from '../../model/repair-context.js'
import { appendToList, type MetadataChange, withKey } from './metadata-change.js'

type Unbound = Extract<Interpretation, { kind: 'unbound' }>

/**
 * Returns new aliases for the uncovered words of a question, alone or joined with the adjacent alias. If the
 * question names a metric already, only that metric's file can establish that it has a longer name as well:
 * words beside a name qualify it, and a person has to judge why the expected query ignores them.
 */
export function aliasChanges(
  testCase: SqlCase,
  meaning: Unbound,
  kb: KnowledgeBase,
  context: RepairContext,
): MetadataChange[] {
  const words = uncoveredPhrases(testCase, meaning)
  return metricsOnExpectedTables(testCase, kb, context).flatMap((metric) =>
    withRemovedNames(words, testCase, metric, context).flatMap((phrase): MetadataChange[] => {
      const isNamedSo = metric.id === meaning.metric?.id
      if (isNamedSo && findRemovedAlias(phrase, metric.path, context) === undefined) return []
      const aliases = [...metric.aliases, phrase]
      if (!resolvesWithAliases(testCase, new Map([[metric.id, aliases]]), kb, context)) return []
      const why = 'whose snippet matches the expected query'
      return [newAlias(metric, phrase, why)]
    }),
  )
}

/**
 * Like `aliasChanges`, for an alias that the metric's file once had: its author took the question to refer to
 * the metric, and running the query shows whether it does if the expected query has another structure. None
 * if two files once had the alias.
 */
export function restorableAliases(
  testCase: SqlCase,
  meaning: Unbound,
  kb: KnowledgeBase,
  context: RepairContext,
): MetadataChange[] {
  const words = uncoveredPhrases(testCase, meaning)
  const found = unnamedMetrics(testCase, meaning, kb, context).flatMap((metric): MetadataChange[] => {
    const phrase = withRemovedNames(words, testCase, metric, context).find(
      (each) =>
        findRemovedAlias(each, metric.path, context) !== undefined &&
        resolvesWithMetric({ ...metric, aliases: [...metric.aliases, each] }, testCase, kb, context),
    )
    const why = 'as it did before; running both queries shows that they return the same rows'
    return phrase === undefined ? [] : [newAlias(metric, phrase, why)]
  })
  return found.length === 1 ? found : []
}

/** Returns stretches of uncovered words, alone or joined with the adjacent alias. */
function uncoveredPhrases({ question }: SqlCase, { leftovers, aliasSpan }: Unbound): string[] {
  const spans = aliasSpan === undefined ? leftovers : [...leftovers, aliasSpan]
  return phrasesCovering(question, spans).filter((phrase) => phrase !== aliasSpan?.text)
}

/**
 * Puts names that the author once used before phrases of the question: "on-time rate", of which only "time
 * rate" is uncovered.
 */
function withRemovedNames(
  words: readonly string[],
  { question }: SqlCase,
  { path, aliases }: Metric,
  context: RepairContext,
): readonly string[] {
  const former = removedNamesIn(question, path, context).filter(
    (name) =>
      !aliases.some((alias) => isSamePhrase(alias, name)) &&
      words.some((phrase) => containsWords(name, phrase)),
  )
  return [...former, ...words.filter((phrase) => !former.some((name) => containsWords(name, phrase)))]
}

/** Returns the metrics that the question does not name. */
function unnamedMetrics(
  testCase: SqlCase,
  meaning: Unbound,
  kb: KnowledgeBase,
  context: RepairContext,
): Metric[] {
  return metricsOnExpectedTables(testCase, kb, context).filter((metric) => metric.id !== meaning.metric?.id)
}

function newAlias(metric: Metric, phrase: string, why: string): MetadataChange {
  return {
    label: 'missing_alias',
    subject: `metric ${metric.name}`,
    title: `${metric.name}: alias "${phrase}" was missing`,
    reasoning: `with "${phrase}" as an alias the question means ${metric.name}, ${why}`,
    ...withKey([appendToList(metric, { kind: 'aliases' }, phrase, metric.aliases)]),
  }
}

/** Reports whether the question would resolve to a metric that was declared as given. */
function resolvesWithMetric(
  changed: Metric,
  testCase: SqlCase,
  kb: KnowledgeBase,
  context: RepairContext,
): boolean {
  const metrics = kb.metrics.map((metric) => (metric.id === changed.id ? changed : metric))
  const meaning = interpretationOf(testCase, { ...kb, metrics }, context)
  return meaning.kind === 'bound' && meaning.metric.id === changed.id
}

export function metricsOnExpectedTables(
  testCase: SqlCase,
  kb: KnowledgeBase,
  context: RepairContext,
): Metric[] {
  const expected = expectedSqlFor(testCase, context)
  return expected === undefined ? [] : metricsOnTablesOf(expected, kb, context)
}

/**
 * Reports whether the question would resolve to the expected query if some metrics had these aliases. Nothing
 * is edited to find out.
 */
export function resolvesWithAliases(
  testCase: SqlCase,
  aliases: ReadonlyMap<string, readonly string[]>,
  kb: KnowledgeBase,
  context: RepairContext,
): boolean {
  const metrics = kb.metrics.map((metric) => {
    const changed = aliases.get(metric.id)
    return changed === undefined ? metric : { ...metric, aliases: changed }
  })
  const changed = { ...kb, metrics }
  const meaning = interpretationOf(testCase, changed, context)
  return (
    meaning.kind === 'bound' && matchesExpected(testCase, meaning.metric, meaning.bindings, changed, context)
  )
}
