import type { SqlToken } from '../../sql/index.js'
import { type FoundPeriod, findPeriods } from '../find-periods.js'
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

/** A question, read once for all entries. */
export interface AskedQuestion {
  readonly text: string
  /** ISO date that relative periods refer to. */
  readonly asOf: string
  readonly tokens: readonly Token[]
  readonly stems: ReadonlySet<string>
  readonly periods: readonly FoundPeriod[]
}

export function readQuestion(text: string, asOf: string): AskedQuestion {
  const tokens = tokenize(text)
  const stems = new Set(tokens.filter(({ isWord }) => isWord).map(({ folded }) => stemOf(folded)))
  return { text, asOf, tokens, stems, periods: findPeriods(text, asOf) }
}

/**
 * Answers a question from a query whose phrase asks for the same with other values: periods, texts and numbers that stand in
 * phrase and query are exchanged. Every word of the question must be covered, and every word of the phrase that the query has
 * as well must be asked for.
 */
export function matchPhrase(asked: AskedQuestion, entry: PhrasedQuery): PhraseMatch {
  const { own, slots, covering, spoken } = wordsOfPhrase(entry, asked.asOf)
  const shared = own.filter((word) => asked.stems.has(word)).length
  const uncovered = (words: readonly string[]): PhraseMatch => ({ kind: 'uncovered', words, shared })
  if (shared === 0 && own.length > 0) return uncovered(contentWords(asked.text))

  const periods = withPeriods(asked, entry, slots)
  if (periods.kind === 'uncovered') return uncovered(periods.words)
  const consumed: Span[] = [...periods.spans]
  const isFree = (token: Range): boolean => !consumed.some((span) => overlaps(span, token))
  const texts = slots.texts.filter(({ pattern }) => {
    const found = [...asked.text.matchAll(pattern)].map(spanOfMatch).filter(isFree)
    consumed.push(...found)
    return found.length === 0
  })
  const numbers = slots.numbers.filter(({ text }) => {
    const found = asked.tokens.filter((token) => token.text === text && isFree(token))
    consumed.push(...found.map(spanOfToken))
    return found.length === 0
  })
  const given = asked.tokens.filter((token) => /^\d+$/.test(token.text) && isFree(token))
  const counted = withNumbers(periods, numbers, given)
  if (counted === undefined)
    return uncovered(given.length > 0 ? given.map(({ text }) => text) : numbers.map(({ text }) => text))
  consumed.push(...given.map(spanOfToken))
  const isCovered = (token: Token): boolean => token.isWord && covering.has(stemOf(token.folded))
  consumed.push(...asked.tokens.filter(isCovered).map(spanOfToken))
  const textOf = textIn(asked.text)
  const left = joined(asked.text, leftoverSpans(asked.text, consumed))
  if (left.length !== texts.length)
    return uncovered(left.length > 0 ? left.map(textOf) : texts.map(({ value }) => value))
  const missing = own.filter((word) => !asked.stems.has(word))
  const needed = missing.filter((word) => spoken.has(word))
  if (needed.length > 0) return uncovered(needed)
  if (missing.length > own.length / 2) return uncovered(contentWords(asked.text))

  const values = new Map(
    texts.map(({ value, written }, at) => [value, spelledAs(value, written, textOf(left[at]))]),
  )
  const withTexts = (spelled: ReadonlyMap<string, string>): string =>
    replaceTokens(counted.sql, counted.tokens, (token) => {
      const other = token.kind === 'string' ? spelled.get(token.value) : undefined
      return other === undefined ? undefined : quoted(other)
    }) ?? counted.sql
  const exchanged = values.size + numbers.length + periods.exchanged
  return { kind: 'answer', texts: values, withTexts, missing: missing.length, exchanged }
}

interface PhraseWords {
  readonly slots: PhraseSlots
  /** Stems of the meaningful words of the phrase that are no values. */
  readonly own: readonly string[]
  /** Stems of all words that the phrase says or the query names; a value is none of them: it may begin another one. */
  readonly covering: ReadonlySet<string>
  /** Stems of the names and values of the query. */
  readonly spoken: ReadonlySet<string>
}

const known = new WeakMap<readonly SqlToken[], Map<string, PhraseWords>>()

function wordsOfPhrase(entry: PhrasedQuery, asOf: string): PhraseWords {
  const found = known.get(entry.tokens) ?? new Map<string, PhraseWords>()
  known.set(entry.tokens, found)
  const key = `${asOf}\0${entry.phrase}`
  const before = found.get(key)
  if (before !== undefined) return before
  const slots = slotsOf(entry, asOf)
  const rest = withoutSlots(entry.phrase, slots)
  const names = namesIn(entry.tokens)
  const values = entry.tokens.filter(({ kind }) => kind === 'string')
  const words = {
    slots,
    own: [...new Set(contentWords(rest).map(stemOf))],
    covering: new Set([...tokenize(rest).map(({ folded }) => stemOf(folded)), ...names]),
    spoken: new Set([...names, ...values.flatMap(({ value }) => contentWords(value).map(stemOf))]),
  }
  found.set(key, words)
  return words
}

interface TokenizedQuery {
  readonly sql: string
  readonly tokens: readonly SqlToken[]
}

/** Puts the numbers of the question in the place of the phrase's, in their order; undefined if it is not clear which they are. */
function withNumbers(
  { sql, tokens }: TokenizedQuery,
  numbers: readonly Span[],
  given: readonly Token[],
): TokenizedQuery | undefined {
  if (given.length !== numbers.length) return undefined
  let query: TokenizedQuery = { sql, tokens }
  for (const [at, { text }] of numbers.entries()) {
    const from = { kind: 'number', value: Number(text) } as const
    const changed = replaceValue(query.sql, query.tokens, from, {
      kind: 'number',
      value: Number(given[at]?.text),
    })
    if (changed === undefined) return undefined
    query = { sql: changed, tokens: moved(query.tokens, query.sql, changed) }
  }
  return query
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
  { periods: asked }: AskedQuestion,
  { sql, tokens }: PhrasedQuery,
  slots: PhraseSlots,
): WithPeriods {
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
