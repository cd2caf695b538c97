import type { Mutation } from './mutation.js'
import { clauseEnd, isWord, listItems, type QueryText, type TermRange, textOf } from './query-text.js'
import type { Term } from './scoped-tokens.js'

/**
 * Returns mutations of LEFT JOIN to an inner one, and the reverse. Other kinds are rare enough to be
 * deliberate.
 */
export function swappedJoins(query: QueryText): Mutation[] {
  const { terms } = query
  return terms.flatMap((term, at): Mutation[] => {
    if (!isWord(term, 'JOIN')) return []
    const outer = isWord(terms[at - 1], 'OUTER') ? at - 2 : at - 1
    const before = terms[outer]
    const table = textOf(query, { first: at + 1, last: tableEnd(terms, at + 1) })
    const inner: Mutation['kind'] = 'join'
    if (isWord(before, 'LEFT', 'RIGHT', 'FULL') && before !== undefined) {
      const words = `JOIN instead of ${before.value} JOIN ${table}`
      return [{ kind: inner, words, replacements: [{ start: before.start, end: term.end, text: 'JOIN' }] }]
    }
    const isOther = isWord(before, 'CROSS', 'NATURAL', 'ASOF', 'SEMI', 'ANTI', 'POSITIONAL')
    if (isOther) return []
    const start = before !== undefined && isWord(before, 'INNER') ? before.start : term.start
    const words = `LEFT JOIN instead of JOIN ${table}`
    return [{ kind: inner, words, replacements: [{ start, end: term.end, text: 'LEFT JOIN' }] }]
  })
}

/** Returns the last term of a table's name; for a derived table its opening bracket only. */
function tableEnd(terms: readonly Term[], from: number): number {
  let at = from
  while (terms[at + 1]?.text === '.') at += 2
  return at
}

/** Returns mutations with one row more and one row fewer. */
export function steppedLimits({ terms }: QueryText): Mutation[] {
  return terms.flatMap((term, at) => {
    const count = terms[at + 1]
    if (!isWord(term, 'LIMIT') || count?.kind !== 'number' || !/^\d{1,15}$/u.test(count.text)) return []
    const { start, end, text } = count
    return [Number(text) + 1, Number(text) - 1]
      .filter((rows) => rows > 0)
      .map(
        (rows): Mutation => ({
          kind: 'limit',
          words: `LIMIT ${rows} instead of ${text}`,
          replacements: [{ start, end, text: String(rows) }],
        }),
      )
  })
}

/** Returns mutations that reverse each key of an ORDER BY, also in windows. */
export function reversedOrders(query: QueryText): Mutation[] {
  const { terms } = query
  return terms.flatMap((term, at) => {
    if (!isWord(term, 'ORDER') || !isWord(terms[at + 1], 'BY')) return []
    const end = clauseEnd(terms, at + 2, term.depth)
    return listItems(terms, at + 2, end, term.depth).flatMap((item) => reversedOrder(query, item))
  })
}

function reversedOrder(query: QueryText, { first, last }: TermRange): Mutation[] {
  const { terms } = query
  const nulls = isWord(terms[last - 1], 'NULLS') ? last - 2 : last
  const direction = terms[nulls]
  if (direction === undefined) return []
  const isWritten = isWord(direction, 'ASC', 'DESC')
  const key = textOf(query, { first, last: isWritten ? nulls - 1 : nulls })
  const isDescending = isWord(direction, 'DESC')
  const words = isDescending
    ? `ORDER BY ${key} ascending instead of descending`
    : `ORDER BY ${key} descending instead of ascending`
  const replacement = isWritten
    ? { start: direction.start, end: direction.end, text: isDescending ? 'ASC' : 'DESC' }
    : { start: direction.end, end: direction.end, text: ' DESC' }
  return [{ kind: 'order', words, replacements: [replacement] }]
}
