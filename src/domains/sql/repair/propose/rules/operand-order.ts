import { similarity } from './rewrite-terms.js'
import type { Alignment } from './snippet-alignment.js'
import { isSameTerm, syntheticTerm, type Term } from './sql-term.js'

/** Commutative operators; weakest first. */
const operators = ['or', 'and', '+', '*'] as const
type Operator = (typeof operators)[number]

const delimiters = new Set(['case', 'when', 'then', 'else', 'end', ','])

/**
 * Reorders alternatives, members, addends and factors of the expected terms like those of the snippet, as far
 * as they have a counterpart there, so that a rewrite changes only what differs. `x = 1 OR x = 2` becomes `x
 * IN (…)` like the snippet's.
 */
function orderLike(snippet: readonly Term[], expected: readonly Term[]): Term[] {
  const [ours, theirs] = [splitTerms(snippet, isDelimiter), splitTerms(expected, isDelimiter)]
  if (theirs.parts.length > 1) {
    const ordered = theirs.parts.map((part) => orderLike(mostSimilar(ours.parts, part), part))
    return ordered.flatMap((part, index) => [...part, ...theirs.cuts.slice(index, index + 1)])
  }
  const listed = toInList(snippet, expected)
  if (listed !== undefined) return orderLike(snippet, listed)
  for (const operator of operators) {
    const ordered = orderOperands(snippet, expected, operator)
    if (ordered !== undefined) return ordered
  }
  return orderGroups(snippet, expected)
}

/** Like `orderLike`, but keeps the expected order if the snippet's order has another meaning. */
export function inSnippetOrder(
  alignment: Alignment,
  snippet: readonly Term[],
  expected: readonly Term[],
): readonly Term[] {
  const ordered = orderLike(snippet, expected)
  if (ordered.every((term, index) => term.key === expected[index]?.key)) return expected
  return alignment.choose(`order:${expected[0]?.start ?? 0}`, 2) === 0 ? ordered : expected
}

function isDelimiter({ key }: Term): boolean {
  return delimiters.has(key)
}

/**
 * Orders the operands of one operator outside brackets; what follows a division belongs to the product as a
 * whole.
 */
function orderOperands(
  snippet: readonly Term[],
  expected: readonly Term[],
  operator: Operator,
): Term[] | undefined {
  const [own, rest] = operator === '*' ? dividend(expected) : [expected, []]
  const theirs = splitTerms(own, ({ key }) => key === operator)
  if (theirs.parts.length < 2 || theirs.parts.some(({ length }) => length === 0)) return undefined
  if (own.some(({ key }) => key === 'between')) return undefined
  const [mine, divisor] = operator === '*' ? dividend(snippet) : [snippet, []]
  const ours = splitTerms(mine, ({ key }) => key === operator)
  const [separator = syntheticTerm('symbol', operator)] = theirs.cuts
  const parts = orderParts(ours.parts, theirs.parts)
  const head = joinParts(separator, parts, expected[0]?.spaced === true)
  return [...head, ...(rest.length === 0 ? [] : orderGroups(divisor, rest))]
}

function joinParts(separator: Term, parts: readonly (readonly Term[])[], firstSpaced: boolean): Term[] {
  const spaced = separator.key === ',' || separator.spaced
  return parts.flatMap((part, index) => {
    const [first, ...more] = part
    if (first === undefined) return []
    if (index === 0) return [{ ...first, spaced: firstSpaced }, ...more]
    return [separator, { ...first, spaced }, ...more]
  })
}

/** Returns the factors before the first division, and the rest. */
function dividend(terms: readonly Term[]): [readonly Term[], readonly Term[]] {
  const at = topIndexes(terms).find((index) => terms[index]?.key === '/')
  return at === undefined ? [terms, []] : [terms.slice(0, at), terms.slice(at)]
}

/** Orders parts: those with a counterpart in its order, the others after the part that they followed. */
function orderParts(ours: readonly (readonly Term[])[], theirs: readonly (readonly Term[])[]): Term[][] {
  const partners = new Map<number, number>()
  const pairs = theirs.flatMap((part, index) =>
    ours.map((mine, position) => ({ index, position, score: unorderedSimilarity(mine, part) })),
  )
  pairs.sort((a, b) => b.score - a.score || Math.abs(a.index - a.position) - Math.abs(b.index - b.position))
  const taken = new Set<number>()
  for (const { index, position, score } of pairs) {
    if (partners.has(index) || taken.has(position) || score === 0) continue
    partners.set(index, position)
    taken.add(position)
  }
  // An operand without a counterpart takes the place of a removed one.
  const free = [...ours.keys()].filter((position) => !taken.has(position))
  for (const index of [...theirs.keys()].filter((index) => !partners.has(index))) {
    const position = free.shift()
    if (position !== undefined) partners.set(index, position)
  }
  let last = -1
  const places = theirs.map((_, index) => {
    last = partners.get(index) ?? last
    return partners.get(index) ?? last + 0.5
  })
  return theirs
    .map((part, index) => {
      const mine = ours[partners.get(index) ?? -1]
      return {
        part: mine === undefined ? [...part] : orderLike(mine, part),
        place: places[index] ?? 0,
        index,
      }
    })
    .sort((a, b) => a.place - b.place || a.index - b.index)
    .map(({ part }) => part)
}

/** Orders terms in brackets: members of an IN like the snippet's, everything else separately. */
function orderGroups(snippet: readonly Term[], expected: readonly Term[]): Term[] {
  const groups = groupsOf(snippet)
  const result: Term[] = []
  let at = 0
  for (const group of groupsOf(expected)) {
    const inner = expected.slice(group.from + 1, group.to)
    const isMembers = expected[group.from - 1]?.key === 'in'
    const candidates = groups
      .filter(({ from }) => !isMembers || snippet[from - 1]?.key === 'in')
      .map(({ from, to }) => snippet.slice(from + 1, to))
    const mine = mostSimilar(candidates, inner)
    result.push(...expected.slice(at, group.from + 1))
    result.push(...(isMembers ? orderMembers(mine, inner) : orderLike(mine, inner)))
    at = group.to
  }
  return [...result, ...expected.slice(at)]
}

function orderMembers(snippet: readonly Term[], expected: readonly Term[]): Term[] {
  const isComma = ({ key }: Term): boolean => key === ','
  const [ours, theirs] = [splitTerms(snippet, isComma), splitTerms(expected, isComma)]
  const [separator] = theirs.cuts
  if (separator === undefined) return [...expected]
  return joinParts(separator, orderParts(ours.parts, theirs.parts), expected[0]?.spaced === true)
}

/** Returns `x = 1 OR x = 2` as `x IN (1, 2)` if the snippet has such a list for x. */
function toInList(snippet: readonly Term[], expected: readonly Term[]): Term[] | undefined {
  const at = snippet.findIndex(({ key }) => key === 'in')
  const open = snippet[at + 1]
  if (at < 1 || open?.key !== '(') return undefined
  const operand = snippet.slice(0, at)
  const whole = withoutBrackets(expected)
  const alternatives = splitTerms(whole, ({ key }) => key === 'or').parts
  const members = alternatives.map((each) => withoutBrackets(each))
  const isEquality = (each: readonly Term[]): boolean =>
    each.length === operand.length + 2 &&
    each[operand.length]?.key === '=' &&
    operand.every((term, index) => each[index] !== undefined && isSameTerm(term, each[index]))
  if (members.length < 2 || !members.every(isEquality)) return undefined
  const values = members.flatMap((each, index) => {
    const value = each.slice(-1).map((term) => ({ ...term, spaced: index > 0 }))
    return index === 0 ? value : [syntheticTerm('symbol', ',', false), ...value]
  })
  const brackets = [syntheticTerm('symbol', '('), syntheticTerm('symbol', ')', false)] as const
  const head = members[0]?.slice(0, operand.length) ?? []
  return [...head, syntheticTerm('keyword', 'IN'), brackets[0], ...values, brackets[1]]
}

function withoutBrackets(terms: readonly Term[]): readonly Term[] {
  const [group] = groupsOf(terms)
  return group?.from === 0 && group.to === terms.length - 1 ? withoutBrackets(terms.slice(1, -1)) : terms
}

function mostSimilar(candidates: readonly (readonly Term[])[], part: readonly Term[]): readonly Term[] {
  const scored = candidates.map((mine) => ({ mine, score: unorderedSimilarity(mine, part) }))
  return scored.sort((a, b) => b.score - a.score)[0]?.mine ?? []
}

/** Returns the similarity of two ranges regardless of their order, from 0 to 1. */
function unorderedSimilarity(ours: readonly Term[], theirs: readonly Term[]): number {
  const open = [...theirs]
  const common = ours.filter((term) => {
    const found = open.findIndex((other) => isSameTerm(term, other))
    if (found !== -1) open.splice(found, 1)
    return found !== -1
  })
  return common.length / Math.max(1, ours.length, theirs.length) + similarity(ours, theirs) / 1000
}

interface SplitTerms {
  readonly parts: readonly (readonly Term[])[]
  readonly cuts: readonly Term[]
}

function splitTerms(terms: readonly Term[], isCut: (term: Term) => boolean): SplitTerms {
  const at = topIndexes(terms).filter((index) => {
    const term = terms[index]
    return term !== undefined && isCut(term)
  })
  const bounds = [-1, ...at, terms.length]
  const parts = bounds.slice(1).map((to, index) => terms.slice((bounds[index] ?? -1) + 1, to))
  return { parts, cuts: at.flatMap((index) => terms[index] ?? []) }
}

function topIndexes(terms: readonly Term[]): number[] {
  let depth = 0
  return [...terms.keys()].filter((index) => {
    const key = terms[index]?.key
    if (key === ')') depth -= 1
    const isTop = depth === 0
    if (key === '(') depth += 1
    return isTop
  })
}

/** Returns the indexes of the outermost opening and closing brackets. */
function groupsOf(terms: readonly Term[]): { readonly from: number; readonly to: number }[] {
  const top = topIndexes(terms)
  const opens = top.filter((index) => terms[index]?.key === '(')
  return opens.flatMap((from) => {
    const to = top.find((index) => index > from && terms[index]?.key === ')')
    return to === undefined ? [] : [{ from, to }]
  })
}
