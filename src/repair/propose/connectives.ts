import { type Alignment, brief, type Place, report } from './alignment.js'
import { type Conjunct, itemOf, type Matching } from './conjuncts.js'
import { offsets } from './layout.js'
import { alternatives, predicatesOf, samePredicate, topTerms, withoutOuterBrackets } from './predicates.js'
import { rewrite } from './rewrite.js'
import { keyword } from './style.js'
import type { Term } from './terms.js'
import { madeUp } from './write.js'

/**
 * Finds conditions that are right but connected wrongly: OR where AND is meant, or the other way round. Only the
 * connecting words change then.
 */
export function untangle(
  alignment: Alignment,
  place: Place,
  theirs: readonly Conjunct[],
  matching: Matching,
): void {
  for (const mine of matching.openOurs.keys()) separate(alignment, place, mine, matching)
  for (const other of theirs) connect(alignment, other, theirs.length, matching)
}

/** `a OR b AND c` becomes `a AND b AND c` where each of its parts is a condition of its own. */
function separate(
  alignment: Alignment,
  place: Place,
  mine: Conjunct,
  { openOurs, openTheirs, partners }: Matching,
): void {
  const parts = connected(mine.terms)
  if (parts.length < 2 || openOurs.get(mine)?.length !== 1) return
  const taken: { other: Conjunct; at: number }[] = []
  for (const part of parts) {
    for (const predicate of predicatesOf(part)) {
      const found = findOpen(predicate, openTheirs)
      if (found === undefined) break
      openTheirs.get(found.other)?.splice(found.at, 1)
      taken.push(found)
    }
  }
  if (taken.length < parts.length) {
    for (const { other } of taken) openTheirs.set(other, [...other.predicates])
    return
  }
  openOurs.set(mine, [])
  for (const { other } of taken) partners.set(other, mine)
  const wanted = parts.flatMap((part, index) =>
    index === 0
      ? part
      : [madeUp('keyword', 'AND'), ...part.map((term, at) => (at === 0 ? { ...term, spaced: true } : term))],
  )
  const changes = rewrite(alignment, place, withoutOuterBrackets(mine.terms), wanted)
  const sql = brief(parts.map((part) => textOfTerms(alignment, part)).join(' AND '))
  report(alignment, mine.clause.kind, changes, `requires all of ${sql}`, `${sql} must all hold`)
}

function findOpen(
  predicate: readonly Term[],
  openTheirs: Matching['openTheirs'],
): { other: Conjunct; at: number } | undefined {
  for (const [other, open] of openTheirs) {
    const at = open.findIndex((candidate) => samePredicate(predicate, candidate))
    if (at !== -1) return { other, at }
  }
  return undefined
}

/** The parts of a condition between its ANDs and ORs, however these bind. */
function connected(terms: readonly Term[]): (readonly Term[])[] {
  const inner = withoutOuterBrackets(terms)
  let betweens = 0
  const cuts = topTerms(inner).filter((index) => {
    const key = inner[index]?.key
    if (key === 'between') betweens += 1
    if (key === 'and' && betweens > 0) {
      betweens -= 1
      return false
    }
    return key === 'and' || key === 'or'
  })
  const bounds = [-1, ...cuts, inner.length]
  return bounds.slice(1).map((to, index) => inner.slice((bounds[index] ?? -1) + 1, to))
}

/** Neighbours `a AND b` become `(a OR b)` where the expected query has them as alternatives. */
function connect(
  alignment: Alignment,
  other: Conjunct,
  count: number,
  { openOurs, openTheirs, partners }: Matching,
): void {
  const [open] = openTheirs.get(other) ?? []
  const wanted = open === undefined ? [] : alternatives(open)
  if (wanted.length < 2) return
  const found: Conjunct[] = []
  for (const alternative of wanted) {
    const mine = [...openOurs].find(
      ([candidate, left]) =>
        !found.includes(candidate) &&
        left.length === 1 &&
        left.some((own) => samePredicate(own, alternative)),
    )
    if (mine !== undefined) found.push(mine[0])
  }
  found.sort((a, b) => a.index - b.index)
  const [first] = found
  const last = found.at(-1)
  const neighbours = found.every(
    (mine, index) => mine.clause === first?.clause && mine.index === (first?.index ?? 0) + index,
  )
  if (first === undefined || last === undefined || found.length < wanted.length || !neighbours) return
  openTheirs.set(other, [])
  for (const mine of found) openOurs.set(mine, [])
  partners.set(other, last)
  const { tokens } = alignment.snippet
  const [from, to] = [itemOf(first).from, itemOf(last).to]
  const bracketed = tokens[from - 1]?.text === '(' && tokens[to]?.text === ')'
  const brackets =
    bracketed || count < 2
      ? []
      : [
          { start: tokens[from]?.start ?? 0, end: tokens[from]?.start ?? 0, text: '(' },
          { start: tokens[to - 1]?.end ?? 0, end: tokens[to - 1]?.end ?? 0, text: ')' },
        ]
  const words = found.slice(1).map((mine) => {
    const and = offsets(alignment.snippet, { from: itemOf(mine).from - 1, to: itemOf(mine).from })
    return { ...and, text: keyword(alignment.style, 'OR') }
  })
  const sql = brief(found.map((mine) => textOfTerms(alignment, mine.terms)).join(' OR '))
  report(
    alignment,
    first.clause.kind,
    [...brackets, ...words],
    `requires one of ${sql}`,
    `one of ${sql} is enough`,
  )
}

function textOfTerms(alignment: Alignment, terms: readonly Term[]): string {
  return alignment.snippet.text.slice(terms[0]?.start ?? 0, terms.at(-1)?.end ?? 0)
}
