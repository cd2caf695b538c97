import type { Clause } from '../../model/sql-clauses.js'
import type { Conjunct } from './conjuncts.js'
import { projectionsOf } from './projections.js'
import type { Alignment, ScopePair } from './snippet-alignment.js'
import type { Term } from './sql-term.js'
import { canNameColumns } from './sql-writer.js'

/** A SELECT of the snippet to which conditions can be added. */
export interface InsertionPoint {
  readonly where: Clause | undefined
  readonly around: readonly Clause[]
  readonly place: ScopePair
}

/**
 * Chooses among several SELECTs of the snippet that could take a condition: the outer one, whose author meant
 * to filter on columns that a sub-query returns, or else the one that has the adjacent conditions.
 */
export function chooseInsertionPoint(
  alignment: Alignment,
  homes: readonly InsertionPoint[],
  terms: readonly Term[],
  theirs: readonly Conjunct[],
  position: number,
  partners: ReadonlyMap<Conjunct, Conjunct>,
): InsertionPoint | undefined {
  const able = homes.filter(({ place }) => canNameColumns(place, terms))
  if (homes.length < 2) return undefined
  const given = able.filter(
    ({ place }) => place.inlinedSubqueries !== undefined && hasProjectedColumn(place, terms),
  )
  const apart = ({ where }: InsertionPoint): number => {
    const distances = theirs.flatMap((each, index) => {
      const mine = partners.get(each)
      return where !== undefined && mine?.clause.range === where.range ? [Math.abs(position - index)] : []
    })
    return Math.min(theirs.length, ...distances)
  }
  const unknown = ({ place }: InsertionPoint): number => Number(hasUnprojectedColumn(alignment, place, terms))
  const rest = able
    .filter((home) => !given.includes(home))
    .sort((a, b) => unknown(a) - unknown(b) || apart(a) - apart(b))
  const ordered = [...given, ...rest]
  if (ordered.length < 2) return ordered[0]
  return ordered[alignment.choose(`into:${terms[0]?.start ?? 0}`, ordered.length)]
}

/** Reports whether a column of the terms is one that a sub-query in this place returns. */
function hasProjectedColumn({ inlinedSubqueries = [] }: ScopePair, terms: readonly Term[]): boolean {
  return terms.some(({ qualifier }) => inlinedSubqueries.some(({ source }) => source.id === qualifier))
}

/**
 * Reports whether the terms have an unqualified column that none of the sub-queries in this place returns.
 */
function hasUnprojectedColumn(
  alignment: Alignment,
  { inlinedSubqueries = [], snippet }: ScopePair,
  terms: readonly Term[],
): boolean {
  if (!snippet.sources.every((source) => inlinedSubqueries.some((part) => part.source === source)))
    return false
  const known = new Set(
    inlinedSubqueries.flatMap(({ place, select }) =>
      projectionsOf(alignment, alignment.snippet, place.snippet, select.clauses.get('select')).map(
        ({ alias }) => alias,
      ),
    ),
  )
  if (known.has('*')) return false
  return terms.some(
    ({ kind, key, qualifier }) => kind === 'name' && qualifier === undefined && !known.has(key),
  )
}
