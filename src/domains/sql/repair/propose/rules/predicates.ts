import { areSameTerms, isSameTerm, syntheticTerm, type Term } from './sql-term.js'

/** One comparison of a condition, as terms. */
export type Predicate = readonly Term[]

/** Returns the comparisons that a conjunct consists of: `x BETWEEN a AND b` is two. */
export function predicatesOf(terms: readonly Term[]): Predicate[] {
  const inner = withoutOuterBrackets(terms)
  const top = topTerms(inner)
  const between = top.find((index) => inner[index]?.key === 'between')
  const and = top.find((index) => between !== undefined && index > between && inner[index]?.key === 'and')
  const plain = !top.some((index) => inner[index]?.key === 'or' || inner[index]?.key === 'not')
  const ands = top.filter((index) => inner[index]?.key === 'and').length
  if (between === undefined || and === undefined || !plain || ands > 1) return [inner]
  const operand = inner.slice(0, between)
  return [
    [...operand, syntheticTerm('symbol', '>='), ...inner.slice(between + 1, and)],
    [...operand, syntheticTerm('symbol', '<='), ...inner.slice(and + 1)],
  ]
}

/**
 * Reports whether a comparison of the snippet is equivalent to an expected one, with operands and
 * alternatives in any order.
 */
export function isSamePredicate(snippet: Predicate, expected: Predicate): boolean {
  if (areSameTerms(snippet, expected)) return true
  const flipped = swapOperands(expected)
  if (flipped !== undefined && areSameTerms(snippet, flipped)) return true
  if (sameMembers(snippet, expected)) return true
  const [ours, theirs] = [disjunctsOf(snippet), disjunctsOf(expected)]
  if (ours.length < 2 || ours.length !== theirs.length) return false
  const open = [...theirs]
  return ours.every((mine) => {
    const found = open.findIndex((other) => isSamePredicate(mine, other))
    if (found !== -1) open.splice(found, 1)
    return found !== -1
  })
}

/** Reports whether both are `x IN (…)` with the same members, in any order. */
function sameMembers(snippet: Predicate, expected: Predicate): boolean {
  const at = snippet.findIndex((term) => term.key === 'in')
  const [ours, theirs] = [snippet.slice(at + 2, -1), expected.slice(at + 2, -1)]
  const isList =
    at > 0 && expected[at]?.key === 'in' && closingIndex(snippet.slice(at + 1)) === snippet.length - at - 2
  const isFlat = [...ours, ...theirs].every(
    (term) => term.key === ',' || term.kind === 'literal' || term.kind === 'placeholder',
  )
  if (!isList || !isFlat || !areSameTerms(snippet.slice(0, at), expected.slice(0, at))) return false
  return (
    ours.length === theirs.length && ours.every((mine) => theirs.some((other) => isSameTerm(mine, other)))
  )
}

/** Returns the terms without brackets around all of them. */
export function withoutOuterBrackets(terms: readonly Term[]): readonly Term[] {
  let inner = terms
  while (inner.length > 2 && inner[0]?.key === '(' && closingIndex(inner) === inner.length - 1)
    inner = inner.slice(1, -1)
  return inner
}

function closingIndex(terms: readonly Term[]): number {
  let depth = 0
  return terms.findIndex((term) => {
    depth += depthChange(term)
    return depth === 0
  })
}

function depthChange(term: Term): number {
  if (term.key === '(' || term.key === 'case') return 1
  return term.key === ')' || term.key === 'end' ? -1 : 0
}

/** Returns the indexes outside brackets and CASE. */
function topTerms(terms: readonly Term[]): number[] {
  const top: number[] = []
  let depth = 0
  for (const [index, term] of terms.entries()) {
    if (depth === 0) top.push(index)
    depth += depthChange(term)
  }
  return top
}

/** Returns the predicates that an OR connects; one if there is none. */
export function disjunctsOf(predicate: Predicate): Predicate[] {
  const inner = withoutOuterBrackets(predicate)
  const cuts = topTerms(inner).filter((index) => inner[index]?.key === 'or')
  const bounds = [-1, ...cuts, inner.length]
  return bounds.slice(1).map((to, index) => withoutOuterBrackets(inner.slice((bounds[index] ?? -1) + 1, to)))
}

const mirrored: ReadonlyMap<string, string> = new Map([
  ['=', '='],
  ['<>', '<>'],
  ['<', '>'],
  ['>', '<'],
  ['<=', '>='],
  ['>=', '<='],
])

/** Returns the comparison with its sides exchanged; undefined if it is not a comparison. */
export function swapOperands(predicate: Predicate): Predicate | undefined {
  const top = topTerms(predicate)
  const operators = top.filter((index) => mirrored.has(predicate[index]?.key ?? ''))
  const [at] = operators
  if (
    at === undefined ||
    operators.length > 1 ||
    top.some((index) => logical.has(predicate[index]?.key ?? ''))
  ) {
    return undefined
  }
  const operator = mirrored.get(predicate[at]?.key ?? '') ?? ''
  return [...predicate.slice(at + 1), syntheticTerm('symbol', operator), ...predicate.slice(0, at)]
}

const logical = new Set(['and', 'or', 'not', 'between'])
