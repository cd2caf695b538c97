import type { BrokenMetric, KnowledgeBase, Metric } from './entry.js'
import { findPeriods } from './find-periods.js'
import { anyValueSpans, findParameterValues } from './parameter-values.js'
import type { Binding, Interpretation, Span, UnboundReason } from './question-interpretation.js'
import { leftoverSpans } from './words/content-words.js'
import {
  findMentions,
  indexPhrases,
  longestMentions,
  type Mention,
  type PhraseIndex,
  phraseOf,
} from './words/phrases.js'
import { type Token, tokenize } from './words/tokens.js'

type MetricReference =
  | { readonly kind: 'usable'; readonly metric: Metric }
  | { readonly kind: 'broken'; readonly entry: BrokenMetric }

interface Unbound {
  readonly metric?: Metric | undefined
  readonly broken?: BrokenMetric | undefined
  readonly aliasSpan?: Span | undefined
  readonly bindings?: readonly Binding[]
  readonly missing?: readonly string[]
  readonly leftovers?: readonly Span[]
}

const vocabularies = new WeakMap<KnowledgeBase, PhraseIndex<MetricReference>>()

/**
 * Resolves a question to the metric with the longest alias in it, with a value for each parameter.
 * Deterministic, and it abstains rather than guesses: on a tie, a missing or ambiguous value, or an uncovered
 * content word. `asOf` is an ISO date.
 */
export function interpret(question: string, kb: KnowledgeBase, asOf: string): Interpretation {
  const tokens = tokenize(question)
  const periods = findPeriods(question, asOf)
  const periodSpans = periods.map(({ span }) => span)
  const mentions = longestMentions(findMentions(question, tokens, vocabularyOf(kb), periodSpans))
  const longest = mentions[0]
  if (longest === undefined) return noMetric(question, tokens, kb, periodSpans)
  const rivals = mentions.filter(
    ({ words, characters }) => words === longest.words && characters === longest.characters,
  )
  const unusable = rivals.flatMap(({ meaning }) => (meaning.kind === 'broken' ? [meaning.entry] : []))[0]
  if (unusable !== undefined) return brokenEntry(unusable, longest.span)
  const [metric, ...others] = new Set(
    rivals.flatMap(({ meaning }) => (meaning.kind === 'usable' ? [meaning.metric] : [])),
  )
  if (metric === undefined || others.length > 0) {
    const values = anyValueSpans(question, tokens, kb.metrics)
    const consumed = [...periodSpans, ...mentions.map(({ span }) => span), ...values]
    const leftovers = leftoverSpans(question, consumed)
    return unbound('ambiguous_metric', ambiguity(rivals), { aliasSpan: longest.span, leftovers })
  }

  const named = mentions.filter(({ meaning }) => idOf(meaning) === metric.id).map(({ span }) => span)
  const { bindings, consumed, ambiguities, missing } = findParameterValues(
    question,
    tokens,
    metric,
    periods,
    named,
  )
  const leftovers = leftoverSpans(question, [...named, ...consumed])
  const found = { metric, aliasSpan: longest.span, bindings, missing, leftovers }
  const uncovered =
    leftovers.length === 0 ? undefined : `no entry of the knowledge base matches: ${listSpans(leftovers)}`
  if (ambiguities.length > 0) return unbound('ambiguous_parameter', ambiguities.join('; '), found)
  if (missing.length > 0) {
    const absent = `no value for ${missing.join(', ')}`
    return unbound('missing_parameter', uncovered === undefined ? absent : `${absent}; ${uncovered}`, found)
  }
  if (uncovered !== undefined) return unbound('leftover_words', uncovered, found)
  return { kind: 'bound', metric, aliasSpan: longest.span, bindings }
}

/** Returns every metric that a question names, the longest name first. */
export function namedMetrics(question: string, kb: KnowledgeBase, asOf: string): Metric[] {
  const periods = findPeriods(question, asOf).map(({ span }) => span)
  const mentions = longestMentions(findMentions(question, tokenize(question), vocabularyOf(kb), periods))
  return [...new Set(mentions.flatMap(({ meaning }) => (meaning.kind === 'usable' ? [meaning.metric] : [])))]
}

function noMetric(
  question: string,
  tokens: readonly Token[],
  kb: KnowledgeBase,
  periods: readonly Span[],
): Interpretation {
  const consumed = [...periods, ...anyValueSpans(question, tokens, kb.metrics)]
  const leftovers = leftoverSpans(question, consumed)
  const message =
    leftovers.length === 0 ? 'the question names no metric' : `no metric for: ${listSpans(leftovers)}`
  return unbound('no_metric', message, { leftovers })
}

function brokenEntry(entry: BrokenMetric, aliasSpan: Span): Interpretation {
  const { path, line, column, message } = entry.problem
  const text = `metric ${entry.name} cannot be used: ${path}:${line}:${column}: ${message}`
  return unbound('broken_entry', text, { metric: entry.metric, broken: entry, aliasSpan })
}

function unbound(
  reason: UnboundReason,
  message: string,
  { metric, broken, aliasSpan, bindings = [], missing = [], leftovers = [] }: Unbound,
): Interpretation {
  return { kind: 'unbound', reason, message, metric, broken, aliasSpan, bindings, missing, leftovers }
}

function ambiguity(rivals: readonly Mention<MetricReference>[]): string {
  const words = [...new Set(rivals.map(({ span }) => `"${span.text}"`))].join(' and ')
  const metrics = [...new Set(rivals.map(({ meaning }) => idOf(meaning).replace(/^metric:/, '')))].join(', ')
  return `${words} matches more than one metric: ${metrics}`
}

function listSpans(spans: readonly Span[]): string {
  return spans.map(({ text }) => text.replaceAll(/\s+/g, ' ')).join(', ')
}

function vocabularyOf(kb: KnowledgeBase): PhraseIndex<MetricReference> {
  const known = vocabularies.get(kb)
  if (known !== undefined) return known
  const usable = kb.metrics.flatMap((metric) =>
    metric.aliases.map((alias) => phraseOf<MetricReference>(alias, { kind: 'usable', metric })),
  )
  const broken = kb.broken.flatMap((entry) =>
    entry.aliases.map((alias) => phraseOf<MetricReference>(alias, { kind: 'broken', entry })),
  )
  const index = indexPhrases([...usable, ...broken])
  vocabularies.set(kb, index)
  return index
}

function idOf(meaning: MetricReference): string {
  return meaning.kind === 'usable' ? meaning.metric.id : meaning.entry.id
}
