import { type Alignment, brief, type Place, report } from './alignment.js'
import type { Clause, ClauseKind } from './clauses.js'
import { insertClause, insertConjunct, removeClause, removeItem, textOf } from './layout.js'
import { type Predicate, predicatesOf, samePredicate, withoutOuterBrackets } from './predicates.js'
import { noteSame, rewrite, similarity } from './rewrite.js'
import { keyword } from './style.js'
import { readTerms, type Side, type Term } from './terms.js'
import { madeUp, writeTerms } from './write.js'

/** A conjunct with the comparisons it consists of: two for BETWEEN, else one. */
interface Conjunct {
  readonly clause: Clause
  readonly index: number
  readonly terms: readonly Term[]
  readonly predicates: readonly Predicate[]
}

/** Conditions that count alike: WHERE and the ONs of inner joins; or one ON; or HAVING. */
export interface Pool {
  readonly snippet: readonly Clause[]
  readonly expected: readonly Clause[]
  /** The clause of the snippet that a missing conjunct of an expected clause goes into, if it exists. */
  readonly target: (clause: Clause) => Clause | undefined
  /** Clauses of the snippet's SELECT in order, to place a missing one. */
  readonly around: readonly Clause[]
  /** Kind of a clause that is missing as a whole. */
  readonly kind: ClauseKind
}

/** Finds missing, extra and changed conjuncts. */
export function compareConditions(alignment: Alignment, place: Place, pool: Pool): void {
  const ours = pool.snippet.flatMap((clause) =>
    conjunctsOf(alignment, alignment.snippet, place.snippet, clause, []),
  )
  const theirs = pool.expected.flatMap((clause) =>
    conjunctsOf(alignment, alignment.expected, place.expected, clause, alignment.values),
  )
  const matching = match(ours, theirs)
  for (const [mine, other] of matching.same) noteSame(alignment, place, mine.terms, other)
  const partners = new Map(matching.partners)
  pairUp(alignment, place, ours, theirs, matching, partners)
  removeExtra(alignment, ours, matching, partners)
  insertMissing(alignment, place, pool, theirs, matching, partners)
}

interface Matching {
  /** Snippet conjuncts and the expected terms that say the same. */
  readonly same: (readonly [Conjunct, readonly Term[]])[]
  /** Comparisons without a partner yet. */
  readonly openOurs: Map<Conjunct, Predicate[]>
  readonly openTheirs: Map<Conjunct, Predicate[]>
  /** Expected conjunct → the snippet's that says it. */
  readonly partners: Map<Conjunct, Conjunct>
}

function conjunctsOf(
  alignment: Alignment,
  side: Side,
  scope: Place['snippet'],
  clause: Clause,
  values: Alignment['values'],
): Conjunct[] {
  return clause.items.map((item, index) => {
    const terms = readTerms(side, item, scope, values.length === 0 ? alignment.values : values)
    return { clause, index, terms, predicates: predicatesOf(terms) }
  })
}

function match(ours: readonly Conjunct[], theirs: readonly Conjunct[]): Matching {
  const openOurs = new Map(ours.map((conjunct) => [conjunct, [...conjunct.predicates]]))
  const openTheirs = new Map(theirs.map((conjunct) => [conjunct, [...conjunct.predicates]]))
  const partners = new Map<Conjunct, Conjunct>()
  const same: (readonly [Conjunct, readonly Term[]])[] = []
  for (const [conjunct, open] of openTheirs) {
    for (const predicate of [...open]) {
      for (const [mine, candidates] of openOurs) {
        const found = candidates.findIndex((candidate) => samePredicate(candidate, predicate))
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

/** Gives each open conjunct of the snippet the open comparison that is most alike, and rewrites it. */
function pairUp(
  alignment: Alignment,
  place: Place,
  ours: readonly Conjunct[],
  theirs: readonly Conjunct[],
  matching: Matching,
  partners: Map<Conjunct, Conjunct>,
): void {
  const { openOurs, openTheirs } = matching
  const candidates = ours.flatMap((mine) =>
    theirs.flatMap((other) =>
      (openTheirs.get(other) ?? []).map((predicate) => {
        const own = openOurs.get(mine)?.[0]
        const score = own === undefined ? -1 : similarity(own, predicate)
        return { mine, other, predicate, score, apart: Math.abs(mine.index - other.index) }
      }),
    ),
  )
  candidates.sort((a, b) => b.score - a.score || a.apart - b.apart)
  for (const { mine, other, predicate, score } of candidates) {
    const open = openOurs.get(mine) ?? []
    const wanted = openTheirs.get(other) ?? []
    const sameClause = mine.clause.kind === other.clause.kind
    if (open.length === 0 || !wanted.includes(predicate) || (!sameClause && score < leastAlike)) continue
    wanted.splice(wanted.indexOf(predicate), 1)
    const second = open.length === 2 ? otherBound(predicate, openTheirs) : undefined
    const kept = mine.predicates.filter((own) => !open.includes(own))
    open.splice(0)
    partners.set(other, mine)
    const target = second === undefined ? joined([...kept, predicate]) : asBetween(predicate, second)
    rewriteConjunct(alignment, place, mine, target, theirs)
  }
}

/** Below, a conjunct of WHERE and one of ON are taken for two things. */
const leastAlike = 0.5

/** The comparison that makes a BETWEEN of `lower` or `upper`, taken out of the open ones. */
function otherBound(predicate: Predicate, open: Map<Conjunct, Predicate[]>): Predicate | undefined {
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

function asBetween(one: Predicate, other: Predicate): Term[] {
  const at = one.findIndex((term) => term.key === '>=' || term.key === '<=')
  const [lower, upper] = one[at]?.key === '>=' ? [one, other] : [other, one]
  const bound = (predicate: Predicate): Term[] => spaced(predicate.slice(at + 1))
  return [
    ...lower.slice(0, at),
    madeUp('keyword', 'BETWEEN'),
    ...bound(lower),
    madeUp('keyword', 'AND'),
    ...bound(upper),
  ]
}

function joined(predicates: readonly Predicate[]): Term[] {
  return predicates.flatMap((predicate, index) =>
    index === 0 ? [...predicate] : [madeUp('keyword', 'AND'), ...spaced(predicate)],
  )
}

function spaced(terms: readonly Term[]): Term[] {
  return terms.map((term, index) => (index === 0 ? { ...term, spaced: true } : term))
}

function rewriteConjunct(
  alignment: Alignment,
  place: Place,
  mine: Conjunct,
  target: readonly Term[],
  theirs: readonly Conjunct[],
): void {
  const isDisjunction = target.some((term) => term.key === 'or')
  const inner = withoutOuterBrackets(mine.terms)
  const bracketed = inner.length < mine.terms.length
  const several = theirs.length > 1 && isDisjunction && predicatesOf(target).length === 1
  const wanted =
    several && !bracketed
      ? [madeUp('symbol', '('), ...unspaced(target), madeUp('symbol', ')', false)]
      : [...target]
  const changes = rewrite(alignment, place, bracketed && isDisjunction ? inner : mine.terms, wanted)
  const before = brief(textOf(alignment.snippet, itemOf(mine)))
  const after = brief(writeTerms(alignment, place, target, mine.terms))
  const verb = mine.clause.kind === 'on' ? 'joins on' : 'filters on'
  report(
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

function itemOf(conjunct: Conjunct): { from: number; to: number } {
  return conjunct.clause.items[conjunct.index] ?? conjunct.clause.body
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
      const sql = brief(textOf(alignment.snippet, clause.body))
      report(
        alignment,
        clause.kind,
        removeClause(alignment.snippet, clause),
        `drops the filter ${sql}`,
        `filter ${sql} was too much`,
      )
      continue
    }
    for (const mine of here) {
      const sql = brief(textOf(alignment.snippet, itemOf(mine)))
      const changes = removeItem(alignment.snippet, clause, mine.index, removed)
      report(alignment, clause.kind, changes, `drops the filter ${sql}`, `filter ${sql} was too much`)
    }
  }
}

function insertMissing(
  alignment: Alignment,
  place: Place,
  pool: Pool,
  theirs: readonly Conjunct[],
  matching: Matching,
  partners: ReadonlyMap<Conjunct, Conjunct>,
): void {
  const created: string[] = []
  for (const [position, other] of theirs.entries()) {
    const open = matching.openTheirs.get(other) ?? []
    const whole = open.length === other.predicates.length && !partners.has(other)
    const missing = whole && open.length > 0 ? [other.terms] : open
    for (const terms of missing) {
      const sql = conjunctText(alignment, place, terms)
      const clause = pool.target(other.clause)
      if (clause === undefined || clause.items.length === 0) {
        created.push(sql)
        continue
      }
      const anchor = anchorFor(theirs, position, partners, clause)
      const changes = insertConjunct(alignment.snippet, clause, anchor, sql, alignment.style)
      report(
        alignment,
        clause.kind,
        changes,
        `adds the filter ${brief(sql)}`,
        `filter ${brief(sql)} was missing`,
      )
    }
  }
  if (created.length === 0) return
  const { style } = alignment
  const sql = created.join(keyword(style, ' AND '))
  const clause = `${keyword(style, pool.kind)} ${sql}`
  const changes = insertClause(alignment.snippet, pool.around, pool.kind, clause, style)
  report(alignment, pool.kind, changes, `adds the filter ${brief(sql)}`, `filter ${brief(sql)} was missing`)
}

function conjunctText(alignment: Alignment, place: Place, terms: readonly Term[]): string {
  const sql = writeTerms(alignment, place, terms)
  const weak = withoutOuterBrackets(terms).length === terms.length && terms.some((term) => term.key === 'or')
  return weak && predicatesOf(terms).length === 1 && !sql.startsWith('(') ? `(${sql})` : sql
}

/** The snippet's conjunct behind which the one at `position` goes: that of the nearest expected one in front of it. */
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
