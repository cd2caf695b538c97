import type { SqlCase } from '../../../../../benchmark/case.js'
import type { KnowledgeBase, Metric } from '../../../../../kb/entry.js'
import type { Interpretation } from '../../../../../kb/interpretation.js'
import { containsWords } from '../../../../../kb/words/contains-words.js'
import { isSamePhrase } from '../../model/edited-words.js'
import {
  expectedSqlFor,
  interpretationOf,
  matchesExpected,
  metricsOnTablesOf,
  type RepairContext,
} from '../../model/knowledge.js'
import { phrasesCovering } from '../../model/question-phrases.js'
import { findRemovedAlias, removedNamesIn } from '../../model/removed-lines.js'
import { appendToList, type MetadataChange, withKey } from './metadata-change.js'

type Unbound = Extract<Interpretation, { kind: 'unbound' }>

/**
 * New aliases for the words nothing covered, alone or joined with the alias beside them. That a metric which the question
 * names already has a longer name takes its file to say: words beside a name qualify it, and that the expected query does
 * without them is for a person to judge.
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
 * As above, of an alias that the metric's file once had: its author took the question to mean the metric, and running it
 * shows whether it does where the expected query says the same in another structure. None where two files had one.
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

/** Stretches of words that nothing covered, alone or joined with the alias beside them. */
function uncoveredPhrases({ question }: SqlCase, { leftovers, aliasSpan }: Unbound): string[] {
  const spans = aliasSpan === undefined ? leftovers : [...leftovers, aliasSpan]
  return phrasesCovering(question, spans).filter((phrase) => phrase !== aliasSpan?.text)
}

/** The author's own words before those of the question: "on-time rate", of which "time rate" is what nothing covered. */
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

/** Metrics that the question does not name. */
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

/** Whether the question would mean a metric if that were as given. */
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

/** Whether the question would mean what is expected if some metrics had these aliases; no file is edited to find out. */
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
