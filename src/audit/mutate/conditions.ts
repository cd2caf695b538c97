import type { Mutation } from './mutation.js'
import { clauseEnd, isWord, type QueryText, type TermRange, textOf } from './query-text.js'
import type { Term } from './scoped-tokens.js'

interface Clause {
  /** Index of WHERE, HAVING, QUALIFY or ON. */
  readonly keyword: number
  /** Never empty; a condition that mixes OR and AND at one level counts as one. */
  readonly conjuncts: readonly TermRange[]
}

/** Returns mutations without one condition of WHERE, HAVING, QUALIFY or ON. */
export function droppedConditions(query: QueryText): Mutation[] {
  return query.terms.flatMap((term, at) => {
    if (!isWord(term, 'WHERE', 'HAVING', 'QUALIFY', 'ON')) return []
    const clause = clauseAt(query.terms, at)
    return clause.conjuncts.map(
      (conjunct, index): Mutation => ({
        kind: 'condition',
        words: `without ${textOf(query, conjunct)}`,
        replacements: [conjunctRemoval(query, clause, index)],
      }),
    )
  })
}

function conjunctRemoval({ terms }: QueryText, { keyword, conjuncts }: Clause, index: number) {
  const offset = (at: number | undefined, edge: 'start' | 'end'): number => terms[at ?? -1]?.[edge] ?? 0
  const [before, own, after] = [conjuncts[index - 1], conjuncts[index], conjuncts[index + 1]]
  const [start, end] = [offset(own?.first, 'start'), offset(own?.last, 'end')]
  if (before !== undefined) return { start: offset(before.last, 'end'), end, text: '' }
  if (after !== undefined) return { start, end: offset(after.first, 'start'), text: '' }
  // A join requires its ON, and FILTER its WHERE.
  const isNeeded = isWord(terms[keyword], 'ON') || isWord(terms[keyword - 2], 'FILTER')
  return isNeeded ? { start, end, text: '1 = 1' } : { start: offset(keyword, 'start'), end, text: '' }
}

function clauseAt(terms: readonly Term[], keyword: number): Clause {
  const depth = terms[keyword]?.depth ?? 0
  const end = clauseEnd(terms, keyword + 1, depth)
  const conjuncts: TermRange[] = []
  let first = keyword + 1
  let inBetween = false
  for (let at = first; at < end; at++) {
    const term = terms[at]
    if (term?.depth !== depth || term.kind !== 'word') continue
    if (term.value === 'OR') return { keyword, conjuncts: [{ first: keyword + 1, last: end - 1 }] }
    if (term.value === 'BETWEEN') inBetween = true
    if (term.value !== 'AND') continue
    if (!inBetween && at > first) {
      conjuncts.push({ first, last: at - 1 })
      first = at + 1
    }
    inBetween = false
  }
  if (end > first) conjuncts.push({ first, last: end - 1 })
  return { keyword, conjuncts }
}
