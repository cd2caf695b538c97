import type { QueryText } from './query-text.js'

/** The change that a mutant makes to the query. */
export type MutantKind =
  | 'condition'
  | 'aggregate'
  | 'column'
  | 'bound'
  | 'step'
  | 'join'
  | 'distinct'
  | 'limit'
  | 'order'
  | 'literal'

/** Replaces characters `[start, end)` of the query by `text`. */
export interface Replacement {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** One error to be introduced into a query. */
export interface Mutation {
  readonly kind: MutantKind
  /** For people: "without tz_type = 'local'", "avg instead of sum". */
  readonly words: string
  readonly replacements: readonly Replacement[]
}

export function applyMutation({ sql }: QueryText, { replacements }: Mutation): string {
  return [...replacements]
    .sort((a, b) => b.start - a.start)
    .reduce((text, { start, end, text: by }) => text.slice(0, start) + by + text.slice(end), sql)
}
