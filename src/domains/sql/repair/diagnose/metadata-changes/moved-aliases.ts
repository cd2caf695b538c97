import type { SqlCase } from '../../../../../benchmark/case.js'
import type { KnowledgeBase, Metric } from '../../../../../kb/entry.js'
import type { SlotEdit } from '../../../../../kb/entry-slots.js'
import type { Interpretation, Span } from '../../../../../kb/question-interpretation.js'
import { contentWords } from '../../../../../kb/words/content-words.js'
import { isSamePhrase } from '../../model/edited-words.js'
import { findRemovedName } from '../../model/removed-lines.js'
import {
  failsAllItsCases,
  interpretationOf,
  matchesExpected,
  type RepairContext,
} from '../../model/repair-context.js'
import { metricsOnExpectedTables, resolvesWithAliases } from './alias-changes.js'
import { appendToList, type MetadataChange, withKey } from './metadata-change.js'

/** The aliases of a metric after a change. */
interface AliasMove {
  readonly metric: Metric
  readonly added: readonly string[]
  readonly taken: readonly string[]
}

/**
 * Moves the alias in the question from the metrics that it belongs to, to the right one. A metric never loses
 * its own name or its last alias, as no question would find it. Nor does a metric get a word for a query that
 * is wrong for its own cases: the two may have each other's snippets.
 */
export function moveAliases(
  testCase: SqlCase,
  meaning: Interpretation,
  kb: KnowledgeBase,
  context: RepairContext,
): MetadataChange[] {
  const { aliasSpan } = meaning
  if (aliasSpan === undefined) return []
  const owners = kb.metrics.filter((metric) => aliasOf(metric, aliasSpan) !== undefined)
  if (owners.length === 0) return []
  return metricsOnExpectedTables(testCase, kb, context).flatMap((metric): MetadataChange[] => {
    const others = owners.filter((owner) => owner !== metric)
    const alias = aliasOf(others[0] ?? metric, aliasSpan) ?? aliasSpan.text
    const has = owners.includes(metric)
    const moves = planAliasMoves(alias, metric, others, has, context)
    if (others.length === 0 || moves.some(removesEssentialAlias)) return []
    if (cannotMatch(testCase, metric, meaning, kb, context)) return []
    const aliases = new Map(moves.map((each) => [each.metric.id, remainingAliases(each)]))
    if (!resolvesWithAliases(testCase, aliases, kb, context)) return []
    // Two metrics give the same query: no query shows which of them the word means.
    const isOwn = isSamePhrase(metric.name, alias)
    if (!isOwn && others.some((owner) => ownerAlsoMatches(testCase, owner, metric, moves, kb, context)))
      return []
    if (!isDistinctiveAlias(alias, metric, others, context) && failsAllItsCases(metric, kb, context))
      return []
    const names = namesOf(others)
    const reasoning = has
      ? `the expected query matches ${metric.name}, but the alias belongs to ${names} too`
      : `the expected query matches ${metric.name}, but the question resolved to ${names}`
    return [changeOf(alias, metric, others, moves, reasoning)]
  })
}

/**
 * Like `moveAliases`, if the expected query differs in structure: the word belongs to the other metric by its
 * name or by a former version of its file, and its present owner passes cases of its own, so that it is not
 * the fault. Running the query shows whether the metric is meant. None if two metrics are possible.
 */
export function reclaimAliases(
  testCase: SqlCase,
  { aliasSpan }: Interpretation,
  kb: KnowledgeBase,
  context: RepairContext,
): MetadataChange[] {
  const owners =
    aliasSpan === undefined ? [] : kb.metrics.filter((each) => aliasOf(each, aliasSpan) !== undefined)
  const [owner, ...more] = owners
  const alias = aliasSpan && owner && aliasOf(owner, aliasSpan)
  if (owner === undefined || alias === undefined || more.length > 0 || !matchesSomeCase(owner, kb, context))
    return []
  const found = metricsOnExpectedTables(testCase, kb, context).flatMap((metric): MetadataChange[] => {
    const isOwn = findRemovedName(alias, metric.path, context) !== undefined || isWithinName(alias, metric)
    if (metric === owner || !isOwn || !isDistinctiveAlias(alias, metric, owners, context)) return []
    const moves = planAliasMoves(alias, metric, owners, false, context)
    if (moves.some(removesEssentialAlias)) return []
    const aliases = new Map(moves.map((each) => [each.metric.id, remainingAliases(each)]))
    const metrics = kb.metrics.map((each) => ({ ...each, aliases: aliases.get(each.id) ?? each.aliases }))
    const meaning = interpretationOf(testCase, { ...kb, metrics }, context)
    if (meaning.kind !== 'bound' || meaning.metric.id !== metric.id) return []
    const reasoning = `the question resolved to ${owner.name}, although "${alias}" is a name of ${metric.name}; running both queries shows that they return the same rows`
    return [changeOf(alias, metric, owners, moves, reasoning)]
  })
  return found.length === 1 ? found : []
}

/** Reports whether the metric gives what some case expects: then it is not the fault. */
function matchesSomeCase(metric: Metric, kb: KnowledgeBase, context: RepairContext): boolean {
  return (context.benchmark ?? []).some((testCase) => {
    const meaning = interpretationOf(testCase, kb, context)
    const isOwn = meaning.kind === 'bound' && meaning.metric.id === metric.id
    return isOwn && matchesExpected(testCase, metric, meaning.bindings, kb, context)
  })
}

function changeOf(
  alias: string,
  metric: Metric,
  others: readonly Metric[],
  moves: readonly AliasMove[],
  reasoning: string,
): MetadataChange {
  const isSwap = moves.some(({ added, metric: { id } }) => id !== metric.id && added.length > 0)
  return {
    label: 'retrieval_miss',
    subject: `metric ${metric.name}`,
    title: isSwap
      ? `${[metric.name, ...others.map(({ name }) => name)].sort().join(' and ')} had each other's aliases`
      : `"${alias}" means ${metric.name}, not ${namesOf(others)}`,
    reasoning,
    ...withKey(moves.flatMap(editsOf)),
  }
}

function namesOf(metrics: readonly Metric[]): string {
  return metrics.map(({ name }) => name).join(', ')
}

/**
 * Plans to remove the alias from its owners and to add it to the metric, in the order of their files. Words
 * that moved in the same commit, according to git, are moved back too, in both directions: a word that no
 * case asks for would stay with the wrong metric for good.
 */
function planAliasMoves(
  alias: string,
  metric: Metric,
  others: readonly Metric[],
  has: boolean,
  context: RepairContext,
): AliasMove[] {
  const by = findRemovedName(alias, metric.path, context)?.by
  const wentFrom = (from: Metric, to: Metric) => (word: string) =>
    by !== undefined &&
    findRemovedName(word, from.path, context)?.by === by &&
    findRemovedName(word, to.path, context)?.by !== by
  const given = (owner: Metric): string[] =>
    owner.aliases.filter((word) => isSamePhrase(word, alias) || (!has && wentFrom(metric, owner)(word)))
  const returned = (owner: Metric): string[] => (has ? [] : metric.aliases.filter(wentFrom(owner, metric)))
  const fresh = (words: readonly string[], { aliases }: Metric): string[] =>
    words.filter(
      (word, at) =>
        !aliases.some((own) => isSamePhrase(own, word)) &&
        words.findIndex((other) => isSamePhrase(other, word)) === at,
    )
  const moves = [
    { metric, added: fresh(others.flatMap(given), metric), taken: others.flatMap(returned) },
    ...others.map((owner) => ({ metric: owner, added: fresh(returned(owner), owner), taken: given(owner) })),
  ]
  return moves.sort((a, b) => (a.metric.path < b.metric.path ? -1 : 1))
}

/** Reports whether an owner would be right as well if it alone had the word. */
function ownerAlsoMatches(
  testCase: SqlCase,
  owner: Metric,
  metric: Metric,
  moves: readonly AliasMove[],
  kb: KnowledgeBase,
  context: RepairContext,
): boolean {
  const given = moves.flatMap(({ taken }) => taken)
  const without = (one: Metric): string[] => one.aliases.filter((alias) => !isAmong(alias, given))
  const aliases = kb.metrics
    .filter(
      (one) => one.id !== owner.id && (one.id === metric.id || moves.some((each) => each.metric === one)),
    )
    .map((one) => [one.id, without(one)] as const)
  return resolvesWithAliases(testCase, new Map([...aliases, [owner.id, owner.aliases]]), kb, context)
}

/** Reports whether a metric would lose its own name or its last alias: no question would find it. */
function removesEssentialAlias(moves: AliasMove): boolean {
  const { metric, taken } = moves
  return (
    taken.length > 0 &&
    (remainingAliases(moves).length === 0 || taken.some((word) => isSamePhrase(metric.name, word)))
  )
}

function remainingAliases({ metric, added, taken }: AliasMove): string[] {
  return [...metric.aliases.filter((alias) => !isAmong(alias, taken)), ...added]
}

function isAmong(word: string, words: readonly string[]): boolean {
  return words.some((other) => isSamePhrase(other, word))
}

/**
 * Returns the edits, the last removal first, so that the positions of the others stay valid. A list is never
 * left empty in between.
 */
function editsOf({ metric, added, taken }: AliasMove): SlotEdit[] {
  const kept = metric.aliases.filter((alias) => !isAmong(alias, taken))
  const removals = taken
    .flatMap((alias) => placesOf(metric, alias))
    .sort((a, b) => b - a)
    .map((item) => removalOf(metric, item))
  const additionsTo = (present: readonly string[]): SlotEdit[] =>
    added.map((word, at) =>
      appendToList(metric, { kind: 'aliases' }, word, [...present, ...added.slice(0, at)]),
    )
  return kept.length > 0 ? [...removals, ...additionsTo(kept)] : [...additionsTo(metric.aliases), ...removals]
}

/**
 * Reports whether a word belongs to a metric by its name or by a former version of its file, and not to
 * others by their names.
 */
function isDistinctiveAlias(
  alias: string,
  metric: Metric,
  others: readonly Metric[],
  context: RepairContext,
): boolean {
  if (findRemovedName(alias, metric.path, context) !== undefined) return true
  const words = contentWords(alias)
  const sharesWith = ({ name }: Metric) => contentWords(name).some((word) => words.includes(word))
  return sharesWith(metric) && !others.some(sharesWith)
}

function isWithinName(alias: string, { name }: Metric): boolean {
  const words = contentWords(name)
  return contentWords(alias).every((word) => words.includes(word))
}

function aliasOf(metric: Metric, span: Span): string | undefined {
  return metric.aliases.find((alias) => isSamePhrase(alias, span.text))
}

/**
 * Reports, cheaply, that the metric cannot match: the question's values are known and the metric takes
 * exactly those.
 */
function cannotMatch(
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
  return same && !matchesExpected(testCase, metric, meaning.bindings, kb, context)
}

/** Returns the positions of an alias in a metric's list of aliases. */
function placesOf({ aliases }: Metric, alias: string): number[] {
  return aliases.flatMap((each, index) => (isSamePhrase(each, alias) ? [index] : []))
}

function removalOf({ path, id, aliases }: Metric, item: number): SlotEdit {
  return { path, entry: id, action: 'remove', slot: { kind: 'aliases', item }, expected: aliases[item] }
}
