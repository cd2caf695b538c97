import type { BrokenMetric, Metric } from './entry.js'

/** A stretch of the question: offsets in UTF-16 code units, end exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** ISO dates, both inclusive. */
export interface Period {
  readonly start: string
  readonly end: string
  /** What the words named; a twin takes another period of equal kind. */
  readonly grain: 'day' | 'week' | 'month' | 'quarter' | 'year' | 'range' | 'relative'
}

export type BoundValue =
  | { readonly kind: 'enum'; readonly code: string }
  | ({ readonly kind: 'date_range' } & Period)
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'choice'; readonly name: string; readonly sql: string }

/** The value a question gives to one parameter; no span where it is the parameter's default. */
export interface Binding {
  readonly parameter: string
  readonly value: BoundValue
  readonly span?: Span | undefined
}

export type UnboundReason =
  | 'no_metric'
  | 'ambiguous_metric'
  | 'missing_parameter'
  | 'ambiguous_parameter'
  | 'leftover_words'
  | 'broken_entry'

/** What a question means to a knowledge base: a metric with all its parameters, or why not. */
export type Interpretation =
  | {
      readonly kind: 'bound'
      readonly metric: Metric
      readonly aliasSpan: Span
      readonly bindings: readonly Binding[]
    }
  | {
      readonly kind: 'unbound'
      readonly reason: UnboundReason
      /** In words, for the user: "no value of market for: Philippines". */
      readonly message: string
      readonly metric?: Metric | undefined
      /** The entry that cannot be used. */
      readonly broken?: BrokenMetric | undefined
      readonly aliasSpan?: Span | undefined
      readonly bindings: readonly Binding[]
      /** Parameters the question gives no value to. */
      readonly missing: readonly string[]
      /** Content words that nothing consumed, adjacent ones joined, in question order. */
      readonly leftovers: readonly Span[]
    }
