import type { SqlToken } from '../../sql/index.js'
import { findPeriods } from '../find-periods.js'
import type { Span } from '../question-interpretation.js'
import { quoted, replaceTokens, replaceValue } from '../replace-value.js'
import { contentWords, leftoverSpans } from '../words/content-words.js'
import { overlaps, type Token, tokenize } from '../words/tokens.js'
import { type PhrasedQuery, type PhraseSlots, slotsOf } from './phrase-slots.js'
import { spelledAs } from './spelled-as.js'
import { stemOf } from './stem.js'

/** What a question makes of a query. */
export type PhraseMatch =
  | {
      readonly kind: 'answer'
      /** Texts of the query, and what the question says in their place. */
      readonly texts: ReadonlyMap<string, string>
      /** Returns the query with other spellings of those. */
      readonly withTexts: (texts: ReadonlyMap<string, string>) => string
      /** Words of the phrase that the question lacks, and values that were exchanged: fewer are nearer. */
      readonly missing: number
      readonly exchanged: number
    }
  | {
      readonly kind: 'uncovered'
      /** Parts of the question that nothing of the query is about, or of the phrase that the question does not say. */
      readonly words: readonly string[]
      /** How many words question and phrase have in common. */
      readonly shared: number
    }

interface Range {
  readonly start: number
  readonly end: number
}

/**
 * Answers a question from a query whose phrase asks for the same with other values: periods, texts and numbers that stand in
 * phrase and query are exchanged. Every word of the question must be covered, and every word of the phrase that the query has
 * as well must be asked for.
 *
 * @param asOf ISO date that relative periods refer to
 */
export function matchPhrase(question: string, entry: PhrasedQuery, asOf: string): PhraseMatch {
  const slots = slotsOf(entry, asOf)
  const asked = tokenize(question)
  const wordsAsked = new Set(asked.filter(({ isWord }) => isWord).map(({ folded }) => stemOf(folded)))
  const own = wordsOutside(entry.phrase, slots)
  const shared = own.filter((word) => wordsAsked.has(word)).length
  const uncovered = (words: readonly string[]): PhraseMatch => ({ kind: 'uncovered', words, shared })

  const periods = withPeriods(question, entry, slots, asOf)
  if (periods.kind === 'uncovered') return uncovered(periods.words)
  const consumed: Span[] = [...periods.spans]
  const isFree = (token: Range): boolean => !consumed.some((span) => overlaps(span, token))
  const texts = slots.texts.filter(({ pattern }) => {
    const found = [...question.matchAll(pattern)].map(spanOfMatch).filter(isFree)
    consumed.push(...found)
    return found.length === 0
  })
  const numbers = slots.numbers.filter(({ text }) => {
    const found = asked.filter((token) => token.text === text && isFree(token))
    consumed.push(...found.map(spanOfToken))
    return found.length === 0
  })
  const given = asked.filter((token) => /^\d+$/.test(token.text) && isFree(token))
  if (given.length !== numbers.length)
    return uncovered(given.length > 0 ? given.map(({ text }) => text) : numbers.map(({ text }) => text))
  consumed.push(...given.map(spanOfToken))
  // What the phrase says, or the query names, is covered; a value of the phrase is not: it may begin another one.
  const said = tokenize(withoutSlots(entry.phrase, slots)).map(({ folded }) => stemOf(folded))
  const names = new Set([...said, ...namesIn(entry.tokens)])
  consumed.push(...asked.filter((token) => token.isWord && names.has(stemOf(token.folded))).map(spanOfToken))
  const left = joined(question, leftoverSpans(question, consumed))
  if (left.length !== texts.length)
    return uncovered(left.length > 0 ? left.map(textIn(question)) : texts.map(({ value }) => value))
  const spoken = namesAndValuesIn(entry.tokens)
  const missing = own.filter((word) => !wordsAsked.has(word))
  const needed = missing.filter((word) => spoken.has(word))
  if (needed.length > 0) return uncovered(needed)
  if (missing.length > own.length / 2) return uncovered(contentWords(question))

  const values = new Map(
    texts.map(({ value, written }, at) => [value, spelledAs(value, written, textIn(question)(left[at]))]),
  )
  const digits = new Map(numbers.map(({ text }, at) => [text, given[at]?.text ?? text]))
  const withTexts = (spelled: ReadonlyMap<string, string>): string =>
    replaceTokens(periods.sql, periods.tokens, (token) => {
      if (token.kind === 'string') return mapped(spelled, token.value, quoted)
      return token.kind === 'number' ? mapped(digits, token.text, (text) => text) : undefined
    }) ?? periods.sql
  const exchanged = values.size + digits.size + periods.exchanged
  return { kind: 'answer', texts: values, withTexts, missing: missing.length, exchanged }
}

function mapped(
  values: ReadonlyMap<string, string>,
  value: string,
  written: (text: string) => string,
): string | undefined {
  const other = values.get(value)
  return other === undefined ? undefined : written(other)
}

type WithPeriods =
  | { readonly kind: 'uncovered'; readonly words: readonly string[] }
  | {
      readonly kind: 'query'
      readonly sql: string
      readonly tokens: readonly SqlToken[]
      readonly spans: readonly Span[]
      readonly exchanged: number
    }

/** Puts the periods of the question in the place of the phrase's, in their order. */
function withPeriods(
  question: string,
  { sql, tokens }: PhrasedQuery,
  slots: PhraseSlots,
  asOf: string,
): WithPeriods {
  const asked = findPeriods(question, asOf)
  const spans = asked.map(({ span }) => span)
  if (asked.length !== slots.periods.length)
    return {
      kind: 'uncovered',
      words: (asked.length > slots.periods.length ? asked : slots.periods).map(({ span }) => span.text),
    }
  const changes = asked.flatMap(({ period, span }, at) => {
    const former = slots.periods[at]?.period
    return former === undefined || (former.start === period.start && former.end === period.end)
      ? []
      : [{ former, period, span }]
  })
  const [change, another] = changes
  if (change === undefined) return { kind: 'query', sql, tokens, spans, exchanged: 0 }
  const changed = replaceValue(
    sql,
    tokens,
    { kind: 'date_range', ...change.former },
    { kind: 'date_range', ...change.period },
  )
  // The dates of one period may be those of the other: which is which is not known.
  if (changed === undefined || another !== undefined)
    return { kind: 'uncovered', words: changes.map(({ span }) => span.text) }
  return { kind: 'query', sql: changed, tokens: moved(tokens, sql, changed), spans, exchanged: 1 }
}

/** Returns the tokens of a query in which dates were replaced by others: their number and order are the same. */
function moved(tokens: readonly SqlToken[], before: string, after: string): SqlToken[] {
  let at = 0
  let end = 0
  return tokens.map((token) => {
    const gap = before.slice(end, token.start)
    end = token.end
    const start = at + gap.length
    const next = /^'(?:[^']|'')*'|^\d+/.exec(after.slice(start))?.[0]
    const text = token.kind === 'string' || token.kind === 'number' ? (next ?? token.text) : token.text
    at = start + text.length
    const value = token.kind === 'string' ? text.slice(1, -1).replaceAll("''", "'") : token.value
    return { ...token, text, start, end: at, value: token.kind === 'number' ? text : value }
  })
}

/** Returns the stems of the meaningful words of a phrase that are no values. */
function wordsOutside(phrase: string, slots: PhraseSlots): string[] {
  return [...new Set(contentWords(withoutSlots(phrase, slots)).map(stemOf))]
}

function withoutSlots(phrase: string, { spans }: PhraseSlots): string {
  return [...spans]
    .sort((a, b) => b.start - a.start)
    .reduce((text, { start, end }) => `${text.slice(0, start)} ${text.slice(end)}`, phrase)
}

function namesIn(tokens: readonly SqlToken[]): string[] {
  return tokens
    .filter(({ kind }) => kind === 'word' || kind === 'quoted')
    .flatMap(({ value }) => contentWords(value).map(stemOf))
}

function namesAndValuesIn(tokens: readonly SqlToken[]): ReadonlySet<string> {
  const values = tokens
    .filter(({ kind }) => kind === 'string')
    .flatMap(({ value }) => contentWords(value).map(stemOf))
  return new Set([...namesIn(tokens), ...values])
}

/** Joins parts that only signs within a name separate: "Dr. Lind". */
function joined(question: string, spans: readonly Range[]): Range[] {
  const result: { start: number; end: number }[] = []
  for (const { start, end } of spans) {
    const last = result.at(-1)
    if (last !== undefined && /^[\s.\-/&'’]*$/u.test(question.slice(last.end, start))) last.end = end
    else result.push({ start, end })
  }
  return result
}

function textIn(question: string): (span: Range | undefined) => string {
  return (span) => (span === undefined ? '' : question.slice(span.start, span.end))
}

function spanOfMatch({ index, 0: text }: RegExpExecArray): Span {
  return { start: index, end: index + text.length, text }
}

function spanOfToken({ start, end, text }: Token): Span {
  return { start, end, text }
}
