/** Part of a query that a difference is about. */
export type QueryComponent =
  | 'tables'
  | 'joins'
  | 'filters'
  | 'projections'
  | 'aggregates'
  | 'grouping'
  | 'having'
  | 'ordering'
  | 'limit'
  | 'distinct'
  | 'set_operations'
  | 'ctes'
  | 'windows'

/** One way in which the generated query differs from the expected one. */
export interface SqlDifference {
  readonly component: QueryComponent
  readonly kind: 'missing' | 'extra' | 'changed'
  /** In words: "filter missing: tz_type = 'local'", "aggregate: sum(gmv) instead of avg(gmv)". */
  readonly text: string
  /** Canonical SQL of the part in the expected query, absent for `extra`. */
  readonly expected?: string | undefined
  /** Canonical SQL of the part in the generated query, absent for `missing`. */
  readonly generated?: string | undefined
}

/** The finding of comparing two queries by structure; `different` means "not shown equal". */
export type StructuralComparison =
  /** With assumptions only where they were asked to be made: see `conventionalNames` and `dialectDefaults` of `CompareOptions`. */
  | { readonly kind: 'equal'; readonly assumptions?: readonly string[] }
  | {
      readonly kind: 'equal_if'
      readonly assumptions: readonly string[]
      readonly differences: readonly SqlDifference[]
    }
  | { readonly kind: 'different'; readonly differences: readonly SqlDifference[] }
  | { readonly kind: 'unparsable'; readonly side: 'expected' | 'generated'; readonly message: string }
