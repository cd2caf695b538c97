import type { Clause } from '../../model/sql-clauses.js'
import type { TokenRange } from '../../model/token-ranges.js'
import { isSamePredicate, type Predicate, predicatesOf } from './predicates.js'
import { scopeAt } from './query-scope.js'
import type { Alignment, ScopePair } from './snippet-alignment.js'
import type { Term } from './sql-term.js'
import { syntheticTerm } from './sql-term.js'
import { readTerms, type TokenizedQuery } from './term-reader.js'

/** A conjunct with the comparisons it consists of: two for BETWEEN, else one. */
export interface Conjunct {
  readonly clause: Clause
  readonly index: number
  readonly terms: readonly Term[]
  readonly predicates: readonly Predicate[]
}

/** The conjuncts that are equal already, and the remaining ones on both sides. */
export interface Matching {
  /** Snippet conjuncts with their equal expected terms. */
  readonly same: (readonly [Conjunct, readonly Term[]])[]
  /** Comparisons without a partner yet. */
  readonly openOurs: Map<Conjunct, Predicate[]>
  readonly openTheirs: Map<Conjunct, Predicate[]>
  /** Expected conjunct → its equal in the snippet. */
  readonly partners: Map<Conjunct, Conjunct>
}

/** Returns the conjuncts of a clause. */
export function conjunctsOf(
  alignment: Alignment,
  side: TokenizedQuery,
  scope: ScopePair['snippet'],
  clause: Clause,
): Conjunct[] {
  return clause.items.map((item, index) => {
    const terms = readTerms(side, item, scopeAt(scope, clause.range), alignment.values)
    return conjunctOf(clause, index, terms)
  })
}

export function conjunctOf(clause: Clause, index: number, terms: readonly Term[]): Conjunct {
  return { clause, index, terms, predicates: predicatesOf(terms) }
}

/** Pairs the conjuncts that are equal in both queries. */
export function matchConjuncts(ours: readonly Conjunct[], theirs: readonly Conjunct[]): Matching {
  const openOurs = new Map(ours.map((conjunct) => [conjunct, [...conjunct.predicates]]))
  const openTheirs = new Map(theirs.map((conjunct) => [conjunct, [...conjunct.predicates]]))
  const partners = new Map<Conjunct, Conjunct>()
  const same: (readonly [Conjunct, readonly Term[]])[] = []
  for (const [conjunct, open] of openTheirs) {
    for (const predicate of [...open]) {
      for (const [mine, candidates] of openOurs) {
        const found = candidates.findIndex((candidate) => isSamePredicate(candidate, predicate))
        if (found === -1) continue
        candidates.splice(found, 1)
        open.splice(open.indexOf(predicate), 1)
        partners.set(conjunct, mine)
        same.push([mine, predicate])
        break
      }
    }
  }
  return { same, openOurs, openTheirs, partners }
}

/** Returns the token range of a conjunct. */
export function conjunctRange(conjunct: Conjunct): TokenRange {
  return conjunct.clause.items[conjunct.index] ?? conjunct.clause.body
}

/** Removes and returns the open comparison that makes a BETWEEN of `lower` or `upper`. */
export function takeOppositeBound(
  predicate: Predicate,
  open: Map<Conjunct, Predicate[]>,
): Predicate | undefined {
  const operator = predicate.findIndex((term) => term.key === '>=' || term.key === '<=')
  if (operator === -1) return undefined
  const wanted = predicate[operator]?.key === '>=' ? '<=' : '>='
  for (const predicates of open.values()) {
    const found = predicates.findIndex(
      (candidate) =>
        candidate[operator]?.key === wanted &&
        candidate.slice(0, operator).every((term, index) => term.key === predicate[index]?.key),
    )
    if (found !== -1) return predicates.splice(found, 1)[0]
  }
  return undefined
}

/** Joins two bounds to one BETWEEN. */
export function toBetween(one: Predicate, other: Predicate): Term[] {
  const at = one.findIndex((term) => term.key === '>=' || term.key === '<=')
  const [lower, upper] = one[at]?.key === '>=' ? [one, other] : [other, one]
  const bound = (predicate: Predicate): Term[] => spaced(predicate.slice(at + 1))
  return [
    ...lower.slice(0, at),
    syntheticTerm('keyword', 'BETWEEN'),
    ...bound(lower),
    syntheticTerm('keyword', 'AND'),
    ...bound(upper),
  ]
}

/** Joins comparisons with AND. */
export function joinWithAnd(predicates: readonly Predicate[]): Term[] {
  return predicates.flatMap((predicate, index) =>
    index === 0 ? [...predicate] : [syntheticTerm('keyword', 'AND'), ...spaced(predicate)],
  )
}

function spaced(terms: readonly Term[]): Term[] {
  return terms.map((term, index) => (index === 0 ? { ...term, spaced: true } : term))
}
