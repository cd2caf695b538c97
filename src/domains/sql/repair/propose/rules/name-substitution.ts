import type { NamedExpression, Scope } from './query-scope.js'
import { isSameTerm, syntheticTerm, type Term } from './sql-term.js'

/** Returns the expression behind a name that an inlined sub-query returns. */
export function expandName(term: Term, scope: Scope, previous: Term | undefined): readonly Term[] {
  if (term.kind !== 'name' || previous?.key === 'as' || previous?.key === '::') return [term]
  for (const { source, outputs } of scope.views ?? []) {
    if (term.qualifier !== undefined && term.qualifier !== source.id) continue
    const terms = outputs.get(term.key)
    const [first, ...more] = terms ?? []
    if (first !== undefined) return parenthesize([{ ...first, spaced: term.spaced }, ...more])
    if (term.qualifier !== undefined) return [{ ...term, qualifier: undefined }]
  }
  const [only] = scope.ownsBare ? scope.sources : []
  return [only === undefined ? term : { ...term, qualifier: term.qualifier ?? only.id }]
}

/** Adds brackets, so that an expression in place of a name binds as the name did. */
function parenthesize(terms: readonly Term[]): readonly Term[] {
  const [first, ...more] = terms
  if (first === undefined || terms.length === 1 || isCall(terms)) return terms
  return [
    { ...syntheticTerm('symbol', '('), start: first.start, end: first.start, spaced: first.spaced },
    { ...first, spaced: false },
    ...more,
    { ...syntheticTerm('symbol', ')', false), start: first.start, end: first.start },
  ]
}

/** Reports whether the terms are `f(…)`, `(…)` or `CASE … END`, which need no brackets. */
function isCall(terms: readonly Term[]): boolean {
  let depth = 0
  const start = terms[0]?.kind === 'function' ? 1 : 0
  for (const [index, { key }] of terms.entries()) {
    if (index < start) continue
    if (key === '(' || key === 'case') depth += 1
    if (key === ')' || key === 'end') depth -= 1
    if (depth === 0) return index === terms.length - 1
  }
  return false
}

/** Replaces expressions by the names that the snippet's author gave to them, the longest first. */
export function collapseNames(terms: readonly Term[], named: readonly NamedExpression[]): Term[] {
  if (named.length === 0) return [...terms]
  const longest = [...named].sort((a, b) => b.terms.length - a.terms.length)
  const result: Term[] = []
  let index = 0
  while (index < terms.length) {
    const found = longest.find((candidate) => matchesAt(candidate.terms, terms, index))
    const [first, last] = [terms[index], terms[index + (found?.terms.length ?? 1) - 1]]
    if (first === undefined) break
    result.push(
      found === undefined || last === undefined
        ? first
        : { ...found.name, start: first.start, end: last.end, spaced: first.spaced },
    )
    index += found?.terms.length ?? 1
  }
  return result
}

/** Reports whether the terms from `index` on are those of an expression. */
export function matchesAt(expression: readonly Term[], terms: readonly Term[], index: number): boolean {
  return (
    expression.length > 0 &&
    expression.every((term, offset) => {
      const other = terms[index + offset]
      return other !== undefined && term.kind === other.kind && isSameTerm(term, other)
    })
  )
}
