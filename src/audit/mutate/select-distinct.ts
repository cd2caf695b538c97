import type { Mutation } from './mutation.js'
import { clauseEnd, isWord, listItems, type QueryText, type TermRange, textOf } from './query-text.js'
import type { Term } from './scoped-tokens.js'

const aggregates: ReadonlySet<string> = new Set(['SUM', 'AVG', 'COUNT', 'MIN', 'MAX'])

/** Returns mutations that remove DISTINCT from a SELECT, or add it to one that can return a row twice. */
export function swappedDistinct(query: QueryText): Mutation[] {
  const { terms } = query
  return terms.flatMap((term, at): Mutation[] => {
    if (!isWord(term, 'SELECT')) return []
    const next = terms[at + 1]
    if (next !== undefined && isWord(next, 'DISTINCT')) {
      if (isWord(terms[at + 2], 'ON')) return []
      return [
        {
          kind: 'distinct',
          words: 'SELECT instead of SELECT DISTINCT',
          replacements: [{ start: next.start, end: terms[at + 2]?.start ?? next.end, text: '' }],
        },
      ]
    }
    if (isWord(next, 'ALL') || !mayReturnDuplicates(query, at)) return []
    return [
      {
        kind: 'distinct',
        words: 'SELECT DISTINCT instead of SELECT',
        replacements: [{ start: term.end, end: term.end, text: ' DISTINCT' }],
      },
    ]
  })
}

/** Reports whether the SELECT can return equal rows, and whether its reader depends on that. */
function mayReturnDuplicates(query: QueryText, select: number): boolean {
  const { terms } = query
  const depth = terms[select]?.depth ?? 0
  if (isWord(terms[select - 2], 'IN', 'EXISTS') && terms[select - 1]?.text === '(') return false
  const end = clauseEnd(terms, select + 1, depth)
  const outputs = listItems(terms, select + 1, end, depth)
  const groupBy = terms.findIndex(
    (term, at) =>
      at > select && term.scope === terms[select]?.scope && term.depth === depth && isWord(term, 'GROUP'),
  )
  if (groupBy >= 0) {
    const keys = listItems(terms, groupBy + 2, clauseEnd(terms, groupBy + 2, depth), depth)
    return !keys.every((key) => outputs.some((output, index) => isGroupingKey(query, output, index, key)))
  }
  return !outputs.some((output) => isAggregate(terms, output, depth))
}

/** Reports whether an output is the grouping key: by its position, its expression or its name. */
function isGroupingKey(query: QueryText, output: TermRange, index: number, key: TermRange): boolean {
  const wanted = textOf(query, key).toLowerCase()
  if (wanted === String(index + 1)) return true
  const words = textOf(query, output).toLowerCase()
  const [expression = '', name = ''] = words.split(/ as (?=[^\s]+$)/u)
  const bare = (text: string): string => text.replace(/^\w+\./u, '')
  return [expression, name].some((text) => text === wanted || bare(text) === bare(wanted))
}

/**
 * Reports whether an output is an aggregate and not a window function: without GROUP BY, it reduces all rows
 * to one.
 */
function isAggregate(terms: readonly Term[], { first, last }: TermRange, depth: number): boolean {
  for (let at = first; at <= last; at++) {
    const term = terms[at]
    if (term?.kind !== 'word' || !aggregates.has(term.value) || terms[at + 1]?.text !== '(') continue
    if (term.scope !== terms[first]?.scope) continue
    let close = at + 2
    while (close <= last && (terms[close]?.depth ?? depth) > term.depth) close++
    if (!isWord(terms[close + 1], 'OVER')) return true
  }
  return false
}
