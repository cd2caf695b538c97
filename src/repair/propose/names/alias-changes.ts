import type { SqlCase } from '../../../benchmark/case.js'
import type { YamlEdit } from '../../../edit/edit.js'
import type { KnowledgeBase, Metric } from '../../../kb/entry.js'
import type { Interpretation, Span } from '../../../kb/interpretation.js'
import { contentWords } from '../../../kb/words/content.js'
import { formerLine } from '../../doubts/history.js'
import {
  expectedFor,
  failsItsCases,
  meaningOf,
  metricsOnTablesOf,
  type RepairContext,
  saysExpected,
} from '../../knowledge.js'
import { keyed, listAddition, type NameChange, sameWords } from './change.js'
import { phrases } from './phrases.js'

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
): NameChange[] {
  const words = uncoveredWords(testCase, meaning)
  return metricsOnItsTables(testCase, kb, context).flatMap((metric) =>
    words.flatMap((phrase): NameChange[] => {
      const isNamedSo = metric.id === meaning.metric?.id
      if (isNamedSo && formerLine(phrase, metric.path, context) === undefined) return []
      const aliases = [...metric.aliases, phrase]
      if (!wouldMean(testCase, new Map([[metric.id, aliases]]), kb, context)) return []
      const why = 'whose snippet says exactly what the expected query says'
      return [newAlias(metric, phrase, why)]
    }),
  )
}

/**
 * As above, of an alias that the metric's file once had: its author took the question to mean the metric, and running it
 * shows whether it does where the expected query says the same in another structure. None where two files had one.
 */
export function formerAliases(
  testCase: SqlCase,
  meaning: Unbound,
  kb: KnowledgeBase,
  context: RepairContext,
): NameChange[] {
  const words = uncoveredWords(testCase, meaning)
  const found = unnamedMetrics(testCase, meaning, kb, context).flatMap((metric): NameChange[] => {
    const phrase = words.find(
      (each) =>
        formerLine(each, metric.path, context) !== undefined &&
        isNamed({ ...metric, aliases: [...metric.aliases, each] }, testCase, kb, context),
    )
    const why =
      'as it once did; that its snippet gives what the expected query gives is shown by running both'
    return phrase === undefined ? [] : [newAlias(metric, phrase, why)]
  })
  return found.length === 1 ? found : []
}

/** Stretches of words that nothing covered, alone or joined with the alias beside them. */
function uncoveredWords({ question }: SqlCase, { leftovers, aliasSpan }: Unbound): string[] {
  const spans = aliasSpan === undefined ? leftovers : [...leftovers, aliasSpan]
  return phrases(question, spans).filter((phrase) => phrase !== aliasSpan?.text)
}

/** Metrics that the question does not name. */
function unnamedMetrics(
  testCase: SqlCase,
  meaning: Unbound,
  kb: KnowledgeBase,
  context: RepairContext,
): Metric[] {
  return metricsOnItsTables(testCase, kb, context).filter((metric) => metric.id !== meaning.metric?.id)
}

function newAlias(metric: Metric, phrase: string, why: string): NameChange {
  return {
    label: 'missing_alias',
    subject: `metric ${metric.name}`,
    title: `${metric.name} did not know "${phrase}"`,
    reasoning: `with "${phrase}" as an alias the question means ${metric.name}, ${why}`,
    ...keyed([listAddition(metric, ['aliases'], phrase, metric.aliases)]),
  }
}

/** Whether the question would mean a metric if that were as given. */
function isNamed(changed: Metric, testCase: SqlCase, kb: KnowledgeBase, context: RepairContext): boolean {
  const metrics = kb.metrics.map((metric) => (metric.id === changed.id ? changed : metric))
  const meaning = meaningOf(testCase, { ...kb, metrics }, context)
  return meaning.kind === 'bound' && meaning.metric.id === changed.id
}

/**
 * The alias in the question belongs to another metric, or to several: taken from those, given to the right one.
 * A metric is never robbed of its own name, nor of its last alias: nothing would lead to it. Nor does a metric get a word
 * for what it says while that is wrong for whoever asks for it: the two may have each other's snippets.
 */
export function movedAliases(
  testCase: SqlCase,
  meaning: Interpretation,
  kb: KnowledgeBase,
  context: RepairContext,
): NameChange[] {
  const { aliasSpan } = meaning
  if (aliasSpan === undefined) return []
  const owners = kb.metrics.filter((metric) => aliasOf(metric, aliasSpan) !== undefined)
  if (owners.length === 0) return []
  return metricsOnItsTables(testCase, kb, context).flatMap((metric): NameChange[] => {
    const others = owners.filter((owner) => owner !== metric)
    if (others.length === 0 || others.some((owner) => needsIt(owner, aliasSpan))) return []
    if (cannotSay(testCase, metric, meaning, kb, context)) return []
    const alias = aliasOf(others[0] ?? metric, aliasSpan) ?? aliasSpan.text
    const kept = others.map((owner): [string, string[]] => [
      owner.id,
      owner.aliases.filter((other) => !sameWords(other, alias)),
    ])
    const has = owners.includes(metric)
    const own: [string, string[]] = [metric.id, has ? [...metric.aliases] : [...metric.aliases, alias]]
    if (!wouldMean(testCase, new Map([...kept, own]), kb, context)) return []
    if (!isItsWord(alias, metric, others, context) && failsItsCases(metric, kb, context)) return []
    const removals = others.flatMap((owner) => removalsFrom(owner, alias))
    const names = others.map((owner) => owner.name).join(', ')
    return [
      {
        label: 'retrieval_miss',
        subject: `metric ${metric.name}`,
        title: `"${alias}" means ${metric.name}, not ${names}`,
        reasoning: has
          ? `the expected query says what ${metric.name} says, but the alias stands for ${names} too`
          : `the expected query says what ${metric.name} says, but the question led to ${names}`,
        ...keyed(has ? removals : [...removals, listAddition(metric, ['aliases'], alias, metric.aliases)]),
      },
    ]
  })
}

/** Whether a word is a metric's own by its name, or by what its file once said, and not by the names of others. */
function isItsWord(
  alias: string,
  metric: Metric,
  others: readonly Metric[],
  context: RepairContext,
): boolean {
  if (formerLine(alias, metric.path, context) !== undefined) return true
  const words = contentWords(alias)
  const sharesWith = ({ name }: Metric) => contentWords(name).some((word) => words.includes(word))
  return sharesWith(metric) && !others.some(sharesWith)
}

function aliasOf(metric: Metric, span: Span): string | undefined {
  return metric.aliases.find((alias) => sameWords(alias, span.text))
}

function needsIt(metric: Metric, span: Span): boolean {
  return sameWords(metric.name, span.text) || metric.aliases.every((alias) => sameWords(alias, span.text))
}

/** Cheap, where the question's values are known and the metric takes just those. */
function cannotSay(
  testCase: SqlCase,
  metric: Metric,
  meaning: Interpretation,
  kb: KnowledgeBase,
  context: RepairContext,
): boolean {
  if (meaning.kind === 'unbound') return false
  const given = new Set(meaning.bindings.map(({ parameter }) => parameter))
  const same =
    metric.parameters.size === given.size && [...metric.parameters.keys()].every((name) => given.has(name))
  return same && !saysExpected(testCase, metric, meaning.bindings, kb, context)
}

/** Last first, so that the places of the others stay as they are. */
function removalsFrom(metric: Metric, alias: string): YamlEdit[] {
  return metric.aliases
    .flatMap((expected, index): YamlEdit[] =>
      sameWords(expected, alias)
        ? [
            {
              kind: 'edit_metric',
              path: metric.path,
              entry: metric.id,
              action: 'remove',
              at: ['aliases', index],
              expected,
            },
          ]
        : [],
    )
    .reverse()
}

function metricsOnItsTables(testCase: SqlCase, kb: KnowledgeBase, context: RepairContext): Metric[] {
  const expected = expectedFor(testCase, context)
  return expected === undefined ? [] : metricsOnTablesOf(expected, kb, context)
}

/** Whether the question would mean what is expected if some metrics had these aliases; no file is edited to find out. */
function wouldMean(
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
  const meaning = meaningOf(testCase, changed, context)
  return (
    meaning.kind === 'bound' && saysExpected(testCase, meaning.metric, meaning.bindings, changed, context)
  )
}
