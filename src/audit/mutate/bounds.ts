import type { Mutation } from './mutation.js'
import { isCall, isWord, type QueryText, type TermRange, textOf } from './query-text.js'
import type { Term } from './scoped-tokens.js'
import { stepValue } from './step-value.js'

const strictnessSwaps: ReadonlyMap<string, string> = new Map([
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
])

/** Returns mutations of bounds from inclusive to exclusive, and the reverse. */
export function swappedBounds(query: QueryText): Mutation[] {
  return query.terms.flatMap((term, at): Mutation[] => {
    const other = term.kind === 'symbol' ? strictnessSwaps.get(term.text) : undefined
    if (other === undefined) return []
    const { first, last } = comparisonAround(query.terms, at)
    const [left, right] = [textOf(query, { first, last: at - 1 }), textOf(query, { first: at + 1, last })]
    const { start, end } = term
    return [
      {
        kind: 'bound',
        words: `${left} ${other} ${right} instead of ${term.text}`,
        replacements: [{ start, end, text: other }],
      },
    ]
  })
}

/**
 * Returns mutations of both ends of BETWEEN and of the bounds of comparisons, one step (a day, the last
 * digit) up and down.
 */
export function steppedBounds(query: QueryText): Mutation[] {
  return query.terms.flatMap((term, at) => {
    if (term.kind === 'symbol' && strictnessSwaps.has(term.text)) {
      const { first, last } = comparisonAround(query.terms, at)
      return [
        ...steppedLiteral(query, { first, last: at - 1 }),
        ...steppedLiteral(query, { first: at + 1, last }),
      ]
    }
    if (!isWord(term, 'BETWEEN')) return []
    const and = andOf(query.terms, at)
    if (and === undefined) return []
    const { last } = comparisonAround(query.terms, and)
    return [
      ...steppedLiteral(query, { first: at + 1, last: and - 1 }),
      ...steppedLiteral(query, { first: and + 1, last }),
    ]
  })
}

/** Returns the index of the AND that belongs to the BETWEEN at `between`. */
function andOf(terms: readonly Term[], between: number): number | undefined {
  const depth = terms[between]?.depth ?? 0
  for (let at = between + 1; (terms[at]?.depth ?? -1) >= depth; at++) {
    if (terms[at]?.depth === depth && isWord(terms[at], 'AND')) return at
  }
  return undefined
}

/** Returns the steps of an operand that is a literal, with its type or its sign before it. */
function steppedLiteral(query: QueryText, { first, last }: TermRange): Mutation[] {
  const term = query.terms[last]
  const isPlain = first === last || (first === last - 1 && isLiteralPrefix(query.terms[first]))
  if (term === undefined || !isPlain || (term.kind !== 'string' && term.kind !== 'number')) return []
  return ([1, -1] as const).flatMap((by): Mutation[] => {
    const next = stepValue(term.value, by)
    if (next === undefined) return []
    const text = term.kind === 'string' ? `'${next}'` : next
    return [
      {
        kind: 'step',
        words: `${text} instead of ${term.text}`,
        replacements: [{ start: term.start, end: term.end, text }],
      },
    ]
  })
}

function isLiteralPrefix(term: Term | undefined): boolean {
  return isWord(term, 'DATE', 'TIMESTAMP') || term?.text === '-'
}

const boundaries: ReadonlySet<string> = new Set([
  ...['AND', 'OR', 'NOT', 'WHERE', 'ON', 'HAVING', 'QUALIFY', 'WHEN', 'THEN', 'ELSE', 'SELECT', 'AS', 'FROM'],
  ...[
    'GROUP',
    'ORDER',
    'LIMIT',
    'JOIN',
    'LEFT',
    'INNER',
    'RIGHT',
    'FULL',
    'CROSS',
    'UNION',
    'DISTINCT',
    'BY',
  ],
])

/**
 * Returns the range of the comparison whose operator is at `at`, or of the last operand of a BETWEEN whose
 * AND is.
 */
function comparisonAround(terms: readonly Term[], at: number): TermRange {
  const depth = terms[at]?.depth ?? 0
  const stops = (place: number): boolean => {
    const term = terms[place]
    if (term === undefined || term.depth < depth) return true
    if (term.depth > depth) return false
    return term.text === ',' || (term.kind === 'word' && boundaries.has(term.value) && !isCall(terms, place))
  }
  let [first, last] = [at, at]
  while (!stops(first - 1)) first--
  while (!stops(last + 1)) last++
  return { first, last }
}
