import type { BrokenMetric, Metric } from './entry.js'

/** A span of the question: offsets in UTF-16 code units, end exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** ISO dates, both inclusive. */
export interface Period {
  readonly start: string
  readonly end: string
  /** The unit that the words named; a twin uses another period of equal kind. */
  readonly grain: 'day' | 'week' | 'month' | 'quarter' | 'year' | 'range' | 'relative'
}

export type BoundValue =
  | { readonly kind: 'enum'; readonly code: string }
  | ({ readonly kind: 'date_range' } & Period)
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'choice'; readonly name: string; readonly sql: string }

/** The value a question gives to one parameter; no span if it is the parameter's default. */
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

/** The meaning of a question in a knowledge base: a metric with all its parameters, or why there is none. */
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
      /** Parameters without a value in the question. */
      readonly missing: readonly string[]
      /** Uncovered content words, adjacent ones joined, in question order. */
      readonly leftovers: readonly Span[]
    }
