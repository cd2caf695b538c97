import type { SqlToken } from '../../sql/index.js'
import { literalPattern } from '../../text/literal-pattern.js'
import { type FoundPeriod, findPeriods } from '../find-periods.js'
import type { Span } from '../question-interpretation.js'
import { overlaps, spanOf, tokenize } from '../words/tokens.js'

/** A query with the words that say what it answers. */
export interface PhrasedQuery {
  readonly phrase: string
  readonly sql: string
  readonly tokens: readonly SqlToken[]
}

/** A text that stands in a query and in its phrase. */
export interface TextSlot {
  /** As the query has it. */
  readonly value: string
  /** As the phrase has it. */
  readonly written: string
  /** Finds the value in another question. */
  readonly pattern: RegExp
  /** Where it stands in the phrase. */
  readonly span: Span
}

/** The values that stand in a query and in the words that name it; what stands in the query only is definition. */
export interface PhraseSlots {
  readonly periods: readonly FoundPeriod[]
  /** In the order of the phrase. */
  readonly texts: readonly TextSlot[]
  readonly numbers: readonly Span[]
  /** Where they stand in the phrase. */
  readonly spans: readonly Span[]
}

export function slotsOf({ phrase, tokens }: PhrasedQuery, asOf: string): PhraseSlots {
  const periods = findPeriods(phrase, asOf)
  const spans: Span[] = periods.map(({ span }) => span)
  const isFree = (span: Span): boolean => !spans.some((other) => overlaps(other, span))
  const found: TextSlot[] = []
  const values = new Set(tokens.filter(({ kind }) => kind === 'string').map(({ value }) => value))
  // A longer value may contain a shorter one: it is the one that the phrase means.
  for (const value of [...values].sort((a, b) => b.length - a.length)) {
    const pattern = patternOf(value)
    const match = pattern && [...phrase.matchAll(pattern)][0]
    if (pattern === undefined || match === undefined) continue
    const span = spanOf(phrase, match.index, match.index + match[0].length)
    if (!isFree(span)) continue
    spans.push(span)
    found.push({ value, written: span.text, pattern, span })
  }
  const digits = new Set(tokens.filter(({ kind }) => kind === 'number').map(({ text }) => text))
  const numbers = tokenize(phrase)
    .map(({ start, end }) => spanOf(phrase, start, end))
    .filter((span) => /^\d+$/.test(span.text) && digits.has(span.text) && isFree(span))
  spans.push(...numbers)
  return { periods, texts: found.sort((a, b) => a.span.start - b.span.start), numbers, spans }
}

/** Returns what finds a value as whole words, in its plural too; undefined for a value that is no word. */
function patternOf(value: string): RegExp | undefined {
  if (!/[\p{L}\p{N}]/u.test(value)) return undefined
  const words = literalPattern(value).replaceAll(/[\s_-]+/g, '[\\s_-]+')
  // IN and IT are codes where they are written in capitals, and words elsewhere.
  const isCode = value.length <= 3 && value === value.toUpperCase()
  return new RegExp(
    `(?<![\\p{L}\\p{N}_])${words}${isCode ? '' : 's?'}(?![\\p{L}\\p{N}_])`,
    isCode ? 'gu' : 'giu',
  )
}
