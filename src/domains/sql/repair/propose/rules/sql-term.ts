import type { Query } from '../../model/sql-clauses.js'

/** The smallest unit of comparison: a column with its qualifier, a literal, a word, a bracketed query. */
export interface Term {
  readonly kind: 'name' | 'function' | 'keyword' | 'literal' | 'symbol' | 'placeholder' | 'query'
  /** Equal keys mean the same, except for qualifiers. */
  readonly key: string
  /** Id of the source that a column belongs to, if it is qualified. */
  readonly qualifier: string | undefined
  /** As its author wrote it; a column without its qualifier, under the counterpart's name. */
  readonly text: string
  /** Placeholders with this value. */
  readonly placeholders: readonly string[]
  readonly query: Query | undefined
  /** UTF-16 offsets; both -1 for a term that is in neither text. */
  readonly start: number
  readonly end: number
  /** Whether white space precedes it. */
  readonly spaced: boolean
}

/** Creates a term that is in neither text: an operator or bracket that a rewrite needs. */
export function syntheticTerm(kind: Term['kind'], text: string, spaced = true): Term {
  return {
    kind,
    key: text.toLowerCase(),
    qualifier: undefined,
    text,
    placeholders: [],
    query: undefined,
    start: -1,
    end: -1,
    spaced,
  }
}

/** Reports whether a term of the snippet equals a term of the expected query, given the example's values. */
export function isSameTerm(snippet: Term, expected: Term): boolean {
  if (snippet.kind === 'placeholder') {
    return snippet.placeholders.some((placeholder) => expected.placeholders.includes(placeholder))
  }
  if (snippet.key !== expected.key) return false
  return (
    snippet.qualifier === undefined ||
    expected.qualifier === undefined ||
    snippet.qualifier === expected.qualifier
  )
}

export function areSameTerms(snippet: readonly Term[], expected: readonly Term[]): boolean {
  return (
    snippet.length === expected.length &&
    snippet.every((term, index) => {
      const other = expected[index]
      return other !== undefined && isSameTerm(term, other)
    })
  )
}
