import type { Clause } from '../../model/sql-clauses.js'
import { splitOperands, type TokenRange } from '../../model/token-ranges.js'
import { type Conjunct, conjunctRange, type Matching } from './conjuncts.js'
import { offsetsOf, textOf } from './layout-preserving-edits.js'
import { disjunctsOf, isSamePredicate, predicatesOf } from './predicates.js'
import { type Alignment, abbreviateSql, recordDifference, type ScopePair } from './snippet-alignment.js'
import { formatKeyword } from './sql-formatting-style.js'
import type { Term } from './sql-term.js'
import { readTerms } from './term-reader.js'

/**
 * Splits `a OR b AND c` into three conjuncts if the expected query has most of these as separate conditions;
 * the necessary change of the connectives is recorded as a difference.
 */
export function splitDisjunctions(
  alignment: Alignment,
  place: ScopePair,
  clause: Clause,
  theirs: readonly Conjunct[],
): Clause {
  const wanted = theirs.flatMap((other) => other.predicates)
  const says = (range: TokenRange): boolean =>
    predicatesOf(readTerms(alignment.snippet, range, place.snippet, alignment.values)).every((mine) =>
      wanted.some((other) => isSamePredicate(mine, other)),
    )
  const items = clause.items.flatMap((item) => {
    const parts = splitOperands(alignment.snippet.tokens, item)
    const known = parts.filter(says).length
    if (parts.length < 2 || known * 2 < parts.length || says(item)) return [item]
    const changes = parts.slice(1).map((part) => ({
      ...offsetsOf(alignment.snippet, { from: part.from - 1, to: part.from }),
      text: formatKeyword(alignment.style, 'AND'),
    }))
    const sql = abbreviateSql(textOf(alignment.snippet, item))
    recordDifference(
      alignment,
      clause.kind,
      changes,
      `requires all conditions of ${sql}`,
      `${sql} must all hold`,
    )
    return parts
  })
  return items.length === clause.items.length ? clause : { ...clause, items }
}

/**
 * Finds adjacent conditions `a AND b` that must become `(a OR b)`, as the expected query has them as
 * alternatives.
 */
export function joinWithOr(
  alignment: Alignment,
  other: Conjunct,
  count: number,
  { openOurs, openTheirs, partners }: Matching,
): void {
  const [open] = openTheirs.get(other) ?? []
  const wanted = open === undefined ? [] : disjunctsOf(open)
  if (wanted.length < 2) return
  const found: Conjunct[] = []
  for (const alternative of wanted) {
    const mine = [...openOurs].find(
      ([candidate, left]) =>
        !found.includes(candidate) &&
        left.length === 1 &&
        left.some((own) => isSamePredicate(own, alternative)),
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
  const [from, to] = [conjunctRange(first).from, conjunctRange(last).to]
  const bracketed = tokens[from - 1]?.text === '(' && tokens[to]?.text === ')'
  const brackets =
    bracketed || count < 2
      ? []
      : [
          { start: tokens[from]?.start ?? 0, end: tokens[from]?.start ?? 0, text: '(' },
          { start: tokens[to - 1]?.end ?? 0, end: tokens[to - 1]?.end ?? 0, text: ')' },
        ]
  const words = found.slice(1).map((mine) => {
    const and = offsetsOf(alignment.snippet, {
      from: conjunctRange(mine).from - 1,
      to: conjunctRange(mine).from,
    })
    return { ...and, text: formatKeyword(alignment.style, 'OR') }
  })
  const sql = abbreviateSql(found.map((mine) => textOfTerms(alignment, mine.terms)).join(' OR '))
  recordDifference(
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
