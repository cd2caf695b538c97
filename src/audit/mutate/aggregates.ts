import type { Mutation } from './mutation.js'
import { isWord, type QueryText } from './query-text.js'
import type { Term } from './scoped-tokens.js'

const aggregates = ['sum', 'avg', 'count', 'min', 'max']

/** Aggregates whose result a DISTINCT in them can change. */
const countsTwice: ReadonlySet<string> = new Set(['SUM', 'AVG', 'COUNT'])

interface Call {
  readonly name: Term
  /** First term of the argument. */
  readonly argument: Term
}

/**
 * Returns mutations with another aggregate, and with DISTINCT added or removed. `count(*)` has no column for
 * another aggregate.
 */
export function swappedAggregates(query: QueryText): Mutation[] {
  return calls(query.terms).flatMap(({ name, argument }) => {
    const others = aggregates.filter((other) => other.toUpperCase() !== name.value)
    const { start, end } = name
    const swaps = others.map(
      (other): Mutation => ({
        kind: 'aggregate',
        words: `${other} instead of ${name.text}`,
        replacements: [{ start, end, text: other }],
      }),
    )
    return [...swaps, ...distinctOf(query, name, argument)]
  })
}

function calls(terms: readonly Term[]): Call[] {
  return terms.flatMap((name, at) => {
    const argument = terms[at + 2]
    const isAggregate = name.kind === 'word' && aggregates.includes(name.value.toLowerCase())
    if (!isAggregate || terms[at + 1]?.text !== '(' || argument === undefined) return []
    return argument.text === '*' || argument.text === ')' ? [] : [{ name, argument }]
  })
}

function distinctOf(query: QueryText, name: Term, argument: Term): Mutation[] {
  if (!countsTwice.has(name.value)) return []
  const { start, end } = argument
  if (!isWord(argument, 'DISTINCT')) {
    const words = `${name.text}(DISTINCT …) instead of ${name.text}(…)`
    return [{ kind: 'distinct', words, replacements: [{ start, end: start, text: 'DISTINCT ' }] }]
  }
  const space = /^\s*/u.exec(query.sql.slice(end))?.[0].length ?? 0
  const words = `${name.text}(…) instead of ${name.text}(DISTINCT …)`
  return [{ kind: 'distinct', words, replacements: [{ start, end: end + space, text: '' }] }]
}
