import type { Clause } from '../../model/sql-clauses.js'
import type { ColumnAlignment } from './projections.js'
import type { Alignment, ScopePair } from './snippet-alignment.js'
import type { Term } from './sql-term.js'
import { readTerms, type TokenizedQuery } from './term-reader.js'

/** A member of GROUP BY or ORDER BY. */
export interface SortOrGroupKey {
  /** The expression that it refers to, without direction. */
  readonly terms: readonly Term[]
  /** DESC, NULLS LAST … */
  readonly direction: readonly Term[]
  readonly form: 'ordinal' | 'alias' | 'expression'
  /**
   * The column that it refers to: the snippet's index, or `+` and the expected index of a column that is
   * added.
   */
  readonly column: string | undefined
}

/** Returns the members of a clause, with the columns that they refer to. */
export function keysOf(
  alignment: Alignment,
  side: TokenizedQuery,
  scope: ScopePair['snippet'],
  clause: Clause | undefined,
  columns: ColumnAlignment,
  whose: 'ours' | 'theirs',
): SortOrGroupKey[] {
  return (clause?.items ?? []).map((item) => {
    const all = readTerms(side, item, scope, alignment.values)
    let to = all.length
    while (to > 1 && directions.has(all[to - 1]?.key ?? '')) to -= 1
    const terms = all.slice(0, to)
    const direction = all.slice(to).filter((term) => term.key !== 'asc')
    const [only] = terms
    const list = columns[whose]
    if (terms.length === 1 && only !== undefined) {
      if (/^\d+$/.test(only.key)) {
        const column = columnKey(columns, whose, Number(only.key) - 1)
        return { terms, direction, form: 'ordinal', column }
      }
      const named = list.findIndex(
        (projection) => projection.aliasText !== undefined && projection.alias === only.key,
      )
      if (named !== -1 && only.qualifier === undefined) {
        return { terms, direction, form: 'alias', column: columnKey(columns, whose, named) }
      }
    }
    const equal = list.findIndex((projection) => hasEqualKeys(projection.terms, terms))
    const column = equal === -1 ? undefined : columnKey(columns, whose, equal)
    return { terms, direction, form: 'expression', column }
  })
}

const directions = new Set(['asc', 'desc', 'nulls', 'first', 'last'])

/** Compares keys of one query, where a placeholder equals itself only. */
export function hasEqualKeys(a: readonly Term[], b: readonly Term[]): boolean {
  return a.length === b.length && a.every((term, index) => term.key === b[index]?.key)
}

function columnKey(columns: ColumnAlignment, whose: 'ours' | 'theirs', index: number): string {
  if (whose === 'ours') return String(index)
  const partner = columns.partners.get(index)
  return partner === undefined ? `+${index}` : String(partner)
}

/** Returns the expression of the column that a member refers to, as the expected query has it. */
export function expressionOf(member: SortOrGroupKey, columns: ColumnAlignment): readonly Term[] | undefined {
  const index = expectedIndex(member, columns)
  return index === undefined ? undefined : columns.theirs[index]?.terms
}

/** Returns the name that the snippet gives to the column that a member refers to. */
export function aliasOf(member: SortOrGroupKey, columns: ColumnAlignment): string | undefined {
  const added = member.column?.startsWith('+') === true
  return added
    ? columns.theirs[Number(member.column)]?.aliasText
    : columns.ours[Number(member.column)]?.aliasText
}

function expectedIndex(member: SortOrGroupKey, columns: ColumnAlignment): number | undefined {
  if (member.column === undefined) return undefined
  if (member.column.startsWith('+')) return Number(member.column.slice(1))
  return [...columns.partners].find(([, mine]) => String(mine) === member.column)?.[0]
}
