import type { Metric, NumberParameter, Parameter } from './entry.js'
import type { FoundPeriod } from './find-periods.js'
import type { Binding, BoundValue, Span } from './question-interpretation.js'
import { adjacentParameterNames } from './words/adjacent-names.js'
import { isStopWord } from './words/content-words.js'
import {
  findMentions,
  indexPhrases,
  longestMentions,
  type Mention,
  type Phrase,
  type PhraseIndex,
  phraseOf,
} from './words/phrases.js'
import { overlaps, spanOf, type Token } from './words/tokens.js'

/** A value that a question gives to a parameter, or appears to give. */
export interface ValueMeaning {
  readonly parameter: string
  readonly value: BoundValue
}

/** The values that a question gives to the parameters of one metric. */
export interface MetricValues {
  /** Every value found, several for one parameter if the question is ambiguous; defaults have no span. */
  readonly bindings: readonly Binding[]
  /** All spans that values were read from. */
  readonly consumed: readonly Span[]
  /** Describes parameters with more than one value, and values that several parameters match. */
  readonly ambiguities: readonly string[]
  readonly missing: readonly string[]
}

type Meanings = PhraseIndex<ValueMeaning>

const vocabularies = new WeakMap<Metric, Meanings>()

/** Finds values of a metric's parameters in a question, outside the words that named the metric. */
export function findParameterValues(
  question: string,
  tokens: readonly Token[],
  metric: Metric,
  periods: readonly FoundPeriod[],
  named: readonly Span[],
): MetricValues {
  const numbers = findNumbers(question, tokens, metric, named)
  // "top 2025 sellers": the longer reading is chosen.
  const free = periods.filter(({ span }) => !numbers.some((number) => contains(number.span, span)))
  const dates = [...metric.parameters].filter(([, { type }]) => type === 'date_range').map(([name]) => name)
  const taken = dates.length > 0 ? free.map(({ span }) => span) : []
  const rivals = numbers.filter(({ span }) => !taken.some((other) => overlaps(other, span)))
  const words = findMentions(question, tokens, vocabularyOf(metric), [...named, ...taken])
  const dated = dates.flatMap((parameter) =>
    free.map(
      ({ period, span }): FoundValue => ({ parameter, value: { kind: 'date_range', ...period }, span }),
    ),
  )
  const said = [
    ...dated,
    ...longestMentions([...words, ...rivals]).map(({ meaning, span }) => ({ ...meaning, span })),
  ]
  const found = collectBindings(metric, said)
  // The name of a period or a choice may itself be a request: "by month".
  const others = said.filter(({ value }) => value.kind === 'enum' || value.kind === 'number')
  return { ...found, consumed: [...found.consumed, ...adjacentParameterNames(question, tokens, others)] }
}

/**
 * Returns the spans of all words that are a value in any of the metrics; for questions that name no metric.
 */
export function anyValueSpans(
  question: string,
  tokens: readonly Token[],
  metrics: readonly Metric[],
): Span[] {
  return metrics.flatMap((metric) =>
    [
      ...findMentions(question, tokens, vocabularyOf(metric), []),
      ...findNumbers(question, tokens, metric, []),
    ].map(({ span }) => span),
  )
}

interface FoundValue extends ValueMeaning {
  readonly span: Span
}

function collectBindings(metric: Metric, said: readonly FoundValue[]): MetricValues {
  const bindings: Binding[] = []
  const ambiguities: string[] = []
  const missing: string[] = []
  for (const [parameter, declared] of metric.parameters) {
    const own = said
      .filter((value) => value.parameter === parameter)
      .sort((a, b) => a.span.start - b.span.start)
    const distinct = own.filter((value, index) => own.findIndex((other) => sameValue(other, value)) === index)
    bindings.push(...distinct.map(({ value, span }) => ({ parameter, value, span })))
    if (distinct.length > 1)
      ambiguities.push(
        `more than one value for ${parameter}: ${distinct.map(({ span }) => span.text).join(', ')}`,
      )
    if (distinct.length > 0) continue
    const value = defaultOf(declared)
    if (value === undefined) missing.push(parameter)
    else bindings.push({ parameter, value })
  }
  const claimed = said.filter((value, index) =>
    said.some(
      (other, before) =>
        before < index && other.parameter !== value.parameter && overlaps(other.span, value.span),
    ),
  )
  ambiguities.push(...claimed.map(({ span }) => `"${span.text}" could be a value of more than one parameter`))
  return { bindings, consumed: said.map(({ span }) => span), ambiguities, missing }
}

function sameValue(a: ValueMeaning, b: ValueMeaning): boolean {
  return JSON.stringify(identity(a.value)) === JSON.stringify(identity(b.value))
}

function identity(value: BoundValue): readonly (string | number)[] {
  switch (value.kind) {
    case 'enum':
      return [value.code]
    case 'number':
      return [value.value]
    case 'choice':
      return [value.name]
    case 'date_range':
      return [value.start, value.end]
  }
}

function defaultOf(parameter: Parameter): BoundValue | undefined {
  if (parameter.type === 'date_range' || parameter.default === undefined) return undefined
  if (parameter.type === 'number') return { kind: 'number', value: parameter.default }
  if (parameter.type === 'enum') return { kind: 'enum', code: parameter.default }
  const chosen = parameter.values.get(parameter.default)
  return chosen && { kind: 'choice', name: parameter.default, sql: chosen.sql }
}

function vocabularyOf(metric: Metric): Meanings {
  const known = vocabularies.get(metric)
  if (known !== undefined) return known
  const phrases = [...metric.parameters].flatMap(([name, parameter]) => {
    if (parameter.type === 'enum') {
      return [...parameter.values].flatMap(([code, aliases]) =>
        [code, ...aliases].map((word) =>
          valuePhrase(word, { parameter: name, value: { kind: 'enum', code } }),
        ),
      )
    }
    if (parameter.type === 'choice') {
      return [...parameter.values].flatMap(([choice, { sql, aliases }]) =>
        aliases.map((word) =>
          valuePhrase(word, { parameter: name, value: { kind: 'choice', name: choice, sql } }),
        ),
      )
    }
    return []
  })
  const index = indexPhrases(phrases)
  vocabularies.set(metric, index)
  return index
}

/**
 * Creates a phrase. ID, IN, MY, US and CAN are words too: for one or two letters, and stop words, letter case
 * must match.
 */
function valuePhrase(word: string, meaning: ValueMeaning): Phrase<ValueMeaning> | undefined {
  return phraseOf(word, meaning, /^\p{L}{1,2}$/u.test(word.trim()) || isStopWord(word.trim()))
}

const numeral = /[\s-]*(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?![\p{L}\p{N}_]|[.,]\d|\s*%)/uy

/** Finds numbers directly after one of the parameter's words: "top 5". */
function findNumbers(
  question: string,
  tokens: readonly Token[],
  metric: Metric,
  named: readonly Span[],
): Mention<ValueMeaning>[] {
  return [...metric.parameters].flatMap(([name, parameter]) => {
    if (parameter.type !== 'number') return []
    const words = indexPhrases(parameter.words.map((word) => phraseOf(word, parameter)))
    return findMentions(question, tokens, words, named).flatMap((mention) =>
      numberAfter(question, name, mention),
    )
  })
}

function numberAfter(
  question: string,
  name: string,
  mention: Mention<NumberParameter>,
): Mention<ValueMeaning>[] {
  numeral.lastIndex = mention.span.end
  const match = numeral.exec(question)
  const whole = match?.[1]
  if (match === null || whole === undefined) return []
  if (mention.meaning.integer && match[2] !== undefined) return []
  const value = Number(`${whole.replaceAll(',', '')}${match[2] ?? ''}`)
  const span = spanOf(question, mention.span.start, numeral.lastIndex)
  const meaning: ValueMeaning = { parameter: name, value: { kind: 'number', value } }
  return [{ meaning, span, words: mention.words + 1, characters: span.text.length }]
}

function contains(outer: Span, inner: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end
}
