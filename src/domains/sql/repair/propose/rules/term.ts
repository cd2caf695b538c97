import type { Query } from '../../model/sql-clauses.js'

/** The smallest piece that is compared: a column with its qualifier, a literal, a word, a bracketed query. */
export interface Term {
  readonly kind: 'name' | 'function' | 'keyword' | 'literal' | 'symbol' | 'placeholder' | 'query'
  /** Equal keys say the same, apart from qualifiers. */
  readonly key: string
  /** Id of the source a column belongs to, where it is written. */
  readonly qualifier: string | undefined
  /** As its author wrote it; a column without its qualifier, under the partner's name. */
  readonly text: string
  /** Placeholders whose value it is. */
  readonly placeholders: readonly string[]
  readonly query: Query | undefined
  /** UTF-16 offsets; both -1 for a term that stands nowhere. */
  readonly start: number
  readonly end: number
  /** Whether white space stands in front of it. */
  readonly spaced: boolean
}

/** A term that stands in neither text: an operator or bracket that a rewriting needs. */
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

/** Whether a term of the snippet says what a term of the expected query says, under the example's values. */
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
