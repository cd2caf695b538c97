import type { Clause, ClauseKind } from '../../model/sql-clauses.js'
import {
  type Conjunct,
  conjunctOf,
  conjunctRange,
  conjunctsOf,
  joinWithAnd,
  type Matching,
  matchConjuncts,
  takeOppositeBound,
  toBetween,
} from './conjuncts.js'
import { joinWithOr, splitDisjunctions } from './disjunctions.js'
import { scopesAt } from './inline-views.js'
import { chooseInsertionPoint, type InsertionPoint } from './insertion-points.js'
import {
  insertClause,
  insertConjunct,
  removeClause,
  removeListItem,
  textOf,
} from './layout-preserving-edits.js'
import { inSnippetOrder } from './operand-order.js'
import { predicatesOf, swapOperands, withoutOuterBrackets } from './predicates.js'
import { recordEqualTerms, rewriteTerms, similarity } from './rewrite-terms.js'
import { type Alignment, abbreviateSql, recordDifference, type ScopePair } from './snippet-alignment.js'
import { formatKeyword } from './sql-formatting-style.js'
import type { Term } from './sql-term.js'
import { syntheticTerm } from './sql-term.js'
import { writeTerms } from './sql-writer.js'

/** Clauses whose conditions are interchangeable: WHERE and the ONs of inner joins; or one ON; or HAVING. */
export interface ConditionPool {
  readonly snippet: readonly Clause[]
  readonly expected: readonly Clause[]
  /**
   * Returns the clause of the snippet that a missing conjunct of an expected clause is added to, if it
   * exists.
   */
  readonly target: (clause: Clause) => Clause | undefined
  /** Clauses of the snippet's SELECT in order, to place a missing one. */
  readonly around: readonly Clause[]
  /** Kind of a clause that is missing as a whole. */
  readonly kind: ClauseKind
  /** Conditions that clauses of the expected query express in another form: USING. */
  readonly unwritten?: ReadonlyMap<Clause, readonly (readonly Term[])[]>
  /**
   * Returns where a conjunct can be added that belongs to no clause of the snippet, if there are several
   * places.
   */
  readonly insertionPoints?: (clause: Clause) => readonly InsertionPoint[]
}

/** Finds missing, extra and changed conjuncts. */
export function compareConditions(alignment: Alignment, place: ScopePair, pool: ConditionPool): void {
  const theirs = pool.expected.flatMap((clause) => [
    ...conjunctsOf(alignment, alignment.expected, place.expected, clause),
    ...(pool.unwritten?.get(clause) ?? []).map((terms, index) => conjunctOf(clause, index, terms)),
  ])
  const opened = new Map(
    pool.snippet.map((clause) => [
      clause,
      splitDisjunctions(alignment, scopesAt(place, clause.range), clause, theirs),
    ]),
  )
  const ours = [...opened.values()].flatMap((clause) =>
    conjunctsOf(alignment, alignment.snippet, scopesAt(place, clause.range).snippet, clause),
  )
  const target = (clause: Clause): Clause | undefined => {
    const into = pool.target(clause)
    return into && (opened.get(into) ?? into)
  }
  const matching = matchConjuncts(ours, theirs)
  for (const [mine, other] of matching.same)
    recordEqualTerms(alignment, scopesAt(place, mine.clause.range), mine.terms, other)
  const { partners } = matching
  for (const other of theirs) joinWithOr(alignment, other, theirs.length, matching)
  pairConjuncts(alignment, place, ours, theirs, matching)
  dropBounds(alignment, place, ours, theirs, matching)
  removeExtra(alignment, ours, matching, partners)
  insertMissing(alignment, place, { ...pool, target, opened }, theirs, matching, partners)
}

/** Pairs each open conjunct of the snippet with the most similar open comparison, and rewrites it. */
function pairConjuncts(
  alignment: Alignment,
  place: ScopePair,
  ours: readonly Conjunct[],
  theirs: readonly Conjunct[],
  matching: Matching,
): void {
  const { openOurs, openTheirs, partners } = matching
  const candidates = ours.flatMap((mine) =>
    theirs.flatMap((other) =>
      (openTheirs.get(other) ?? []).map((predicate) => {
        const own = openOurs.get(mine)?.[0] ?? []
        const flipped = swapOperands(predicate) ?? predicate
        const [score, turned] = [similarity(own, predicate), similarity(own, flipped)]
        const wording = turned > score ? flipped : predicate
        const apart = Math.abs(mine.index - other.index)
        return { mine, other, predicate, wording, score: Math.max(score, turned), apart }
      }),
    ),
  )
  candidates.sort((a, b) => b.score - a.score || a.apart - b.apart)
  for (const { mine, other, predicate, wording, score } of candidates) {
    const open = openOurs.get(mine) ?? []
    const wanted = openTheirs.get(other) ?? []
    const sameClause = mine.clause.kind === other.clause.kind
    if (open.length === 0 || !wanted.includes(predicate) || (!sameClause && score < minSimilarity)) continue
    wanted.splice(wanted.indexOf(predicate), 1)
    const second = open.length === 2 ? takeOppositeBound(predicate, openTheirs) : undefined
    const kept = mine.predicates.filter((own) => !open.includes(own))
    open.splice(0)
    partners.set(other, mine)
    const bound = kept.length === 1 ? takeOppositeBound(wording, new Map([[mine, [...kept]]])) : undefined
    const target =
      second !== undefined
        ? toBetween(predicate, second)
        : bound !== undefined
          ? toBetween(wording, bound)
          : joinWithAnd([...kept, wording])
    rewriteConjunct(alignment, place, mine, target, theirs)
  }
}

/** Below this similarity, a conjunct of WHERE and one of ON are not treated as one that was moved. */
const minSimilarity = 0.5

/** Keeps only one bound of a BETWEEN if the expected query has only that one. */
function dropBounds(
  alignment: Alignment,
  place: ScopePair,
  ours: readonly Conjunct[],
  theirs: readonly Conjunct[],
  { openOurs }: Matching,
): void {
  for (const mine of ours) {
    const open = openOurs.get(mine) ?? []
    const kept = mine.predicates.filter((own) => !open.includes(own))
    if (open.length > 0 && kept.length > 0) rewriteConjunct(alignment, place, mine, joinWithAnd(kept), theirs)
  }
}

function rewriteConjunct(
  alignment: Alignment,
  place: ScopePair,
  mine: Conjunct,
  target: readonly Term[],
  theirs: readonly Conjunct[],
): void {
  const isDisjunction = target.some((term) => term.key === 'or')
  const here = scopesAt(place, mine.clause.range)
  const inner = withoutOuterBrackets(mine.terms)
  const bracketed = inner.length < mine.terms.length
  const several = theirs.length > 1 && isDisjunction && predicatesOf(target).length === 1
  const wanted =
    several && !bracketed
      ? [syntheticTerm('symbol', '('), ...unspaced(target), syntheticTerm('symbol', ')', false)]
      : [...target]
  const written = bracketed && isDisjunction ? inner : mine.terms
  const liked = inSnippetOrder(alignment, written, wanted)
  const changes = rewriteTerms(alignment, here, written, liked)
  const before = abbreviateSql(textOf(alignment.snippet, conjunctRange(mine)))
  const after = abbreviateSql(writeTerms(alignment, here, liked, mine.terms))
  const verb = mine.clause.kind === 'on' ? 'joins on' : 'filters on'
  recordDifference(
    alignment,
    mine.clause.kind,
    changes,
    `${verb} ${after} instead of ${before}`,
    `${before} should be ${after}`,
  )
}

function unspaced(terms: readonly Term[]): Term[] {
  return terms.map((term, index) => (index === 0 ? { ...term, spaced: false } : term))
}

function removeExtra(
  alignment: Alignment,
  ours: readonly Conjunct[],
  matching: Matching,
  partners: ReadonlyMap<Conjunct, Conjunct>,
): void {
  const needed = new Set(partners.values())
  const extra = ours.filter((mine) => !needed.has(mine) && (matching.openOurs.get(mine)?.length ?? 0) > 0)
  for (const clause of new Set(extra.map((mine) => mine.clause))) {
    const here = extra.filter((mine) => mine.clause === clause)
    const removed = new Set(here.map((mine) => mine.index))
    const all = removed.size === clause.items.length
    if (all && clause.kind !== 'on') {
      const sql = abbreviateSql(textOf(alignment.snippet, clause.body))
      recordDifference(
        alignment,
        clause.kind,
        removeClause(alignment.snippet, clause),
        `drops the filter ${sql}`,
        `filter ${sql} was extra`,
      )
      continue
    }
    for (const mine of here) {
      const sql = abbreviateSql(textOf(alignment.snippet, conjunctRange(mine)))
      const changes = removeListItem(alignment.snippet, clause, mine.index, removed)
      recordDifference(alignment, clause.kind, changes, `drops the filter ${sql}`, `filter ${sql} was extra`)
    }
  }
}

function insertMissing(
  alignment: Alignment,
  place: ScopePair,
  pool: ConditionPool & { readonly opened: ReadonlyMap<Clause, Clause> },
  theirs: readonly Conjunct[],
  matching: Matching,
  partners: ReadonlyMap<Conjunct, Conjunct>,
): void {
  const created = new Map<readonly Clause[], string[]>()
  for (const [position, other] of theirs.entries()) {
    const open = matching.openTheirs.get(other) ?? []
    const whole = open.length === other.predicates.length && !partners.has(other)
    const missing = whole && open.length > 0 ? [other.terms] : open
    for (const terms of missing) {
      const homes = pool.insertionPoints?.(other.clause) ?? []
      const home = chooseInsertionPoint(alignment, homes, terms, theirs, position, partners)
      const where = home?.where && (pool.opened.get(home.where) ?? home.where)
      const clause = home === undefined ? pool.target(other.clause) : where
      const here = home?.place ?? (clause === undefined ? place : scopesAt(place, clause.range))
      const sql = conjunctText(alignment, here, terms)
      if (clause === undefined || clause.items.length === 0) {
        const around = home?.around ?? pool.around
        created.set(around, [...(created.get(around) ?? []), sql])
        continue
      }
      const anchor = anchorFor(theirs, position, partners, clause)
      const changes = insertConjunct(alignment.snippet, clause, anchor, sql, alignment.style)
      recordDifference(
        alignment,
        clause.kind,
        changes,
        `adds the filter ${abbreviateSql(sql)}`,
        `filter ${abbreviateSql(sql)} was missing`,
      )
    }
  }
  const { style } = alignment
  for (const [around, conjuncts] of created) {
    const sql = conjuncts.join(formatKeyword(style, ' AND '))
    const parts = conjuncts.map(
      (each, index) => `${formatKeyword(style, index === 0 ? pool.kind : 'AND')} ${each}`,
    )
    const changes = insertClause(alignment.snippet, around, pool.kind, parts, style)
    recordDifference(
      alignment,
      pool.kind,
      changes,
      `adds the filter ${abbreviateSql(sql)}`,
      `filter ${abbreviateSql(sql)} was missing`,
    )
  }
}

function conjunctText(alignment: Alignment, place: ScopePair, terms: readonly Term[]): string {
  const sql = writeTerms(alignment, place, terms)
  const weak = withoutOuterBrackets(terms).length === terms.length && terms.some((term) => term.key === 'or')
  return weak && predicatesOf(terms).length === 1 && !sql.startsWith('(') ? `(${sql})` : sql
}

/**
 * Returns the snippet's conjunct after which the one at `position` is added: that of the nearest preceding
 * expected one.
 */
function anchorFor(
  theirs: readonly Conjunct[],
  position: number,
  partners: ReadonlyMap<Conjunct, Conjunct>,
  clause: Clause,
): number {
  for (const other of theirs.slice(0, position).reverse()) {
    const mine = partners.get(other)
    if (mine?.clause === clause) return mine.index
  }
  return -1
}
