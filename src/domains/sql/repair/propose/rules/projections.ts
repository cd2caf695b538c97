import type { Clause } from '../../model/sql-clauses.js'
import { insertListItem, removeListItem, textOf } from './layout-preserving-edits.js'
import { inSnippetOrder } from './operand-order.js'
import { recordEqualTerms, rewriteTerms, similarity } from './rewrite-terms.js'
import { type Alignment, abbreviateSql, recordDifference, type ScopePair } from './snippet-alignment.js'
import { formatKeyword } from './sql-formatting-style.js'
import { areSameTerms, type Term } from './sql-term.js'
import { writeTerms } from './sql-writer.js'
import { readTerms, type TokenizedQuery } from './term-reader.js'

/** A member of a select list: the expression, and its output name. */
export interface Projection {
  readonly terms: readonly Term[]
  readonly alias: string | undefined
  /** The alias as written. */
  readonly aliasText: string | undefined
}

/** The correspondence of the select lists, and the snippet's final list. */
export interface ColumnAlignment {
  readonly ours: readonly Projection[]
  readonly theirs: readonly Projection[]
  /** Expected index → the snippet's index. */
  readonly partners: ReadonlyMap<number, number>
  /** The final list: indexes of the snippet's members that stay and of expected ones that are added. */
  readonly final: readonly { readonly ours?: number; readonly theirs?: number }[]
}

export const emptyColumnAlignment: ColumnAlignment = { ours: [], theirs: [], partners: new Map(), final: [] }

export function projectionsOf(
  alignment: Alignment,
  side: TokenizedQuery,
  scope: ScopePair['snippet'],
  clause: Clause | undefined,
): Projection[] {
  return (clause?.items ?? []).map((item) => {
    const { tokens } = side
    const last = tokens[item.to - 1]
    const before = tokens[item.to - 2]
    const named = last?.kind === 'word' || last?.kind === 'quoted'
    const explicit = named && before?.value === 'AS' && before.kind === 'word' && item.to - item.from > 2
    const implicit =
      named && item.to - item.from > 1 && !explicit && endsOperand(before) && last.value !== 'END'
    const to = explicit ? item.to - 2 : implicit ? item.to - 1 : item.to
    const terms = readTerms(side, { from: item.from, to }, scope, alignment.values)
    const aliased = explicit || implicit
    const only = terms.length === 1 && terms[0]?.kind === 'name' ? terms[0].key : undefined
    return {
      terms,
      alias: aliased ? last?.value.toLowerCase() : only,
      aliasText: aliased ? last?.text : undefined,
    }
  })
}

function endsOperand(token: { readonly kind: string; readonly text: string } | undefined): boolean {
  return token !== undefined && (token.kind !== 'symbol' || token.text === ')' || token.text === ']')
}

/** Finds missing, extra and changed columns. */
export function compareProjections(
  alignment: Alignment,
  place: ScopePair,
  snippet: Clause,
  expected: Clause,
): ColumnAlignment {
  const ours = projectionsOf(alignment, alignment.snippet, place.snippet, snippet)
  const theirs = projectionsOf(alignment, alignment.expected, place.expected, expected)
  const partners = pairProjections(ours, theirs)
  const kept = new Set(partners.values())
  const removed = new Set(ours.map((_, index) => index).filter((index) => !kept.has(index)))
  for (const [other, mine] of partners) rewriteProjection(alignment, place, ours[mine], theirs[other])
  for (const index of removed) {
    const sql = abbreviateSql(textOf(alignment.snippet, snippet.items[index] ?? snippet.body))
    const changes = removeListItem(alignment.snippet, snippet, index, removed)
    recordDifference(alignment, 'select', changes, `drops the column ${sql}`, `column ${sql} was extra`)
  }
  const final: { ours?: number; theirs?: number }[] = [...kept]
    .sort((a, b) => a - b)
    .map((index) => ({ ours: index }))
  for (const [other, projection] of theirs.entries()) {
    if (partners.has(other)) continue
    const before = [...partners].filter(([index]) => index < other).sort(([a], [b]) => b - a)[0]
    const anchor = before?.[1] ?? -1
    addProjection(alignment, place, snippet, anchor, projection)
    const at = final.findIndex((column) => column.ours === anchor) + 1
    const behind = final.slice(at).findIndex((column) => column.ours !== undefined)
    final.splice(behind === -1 ? final.length : at + behind, 0, { theirs: other })
  }
  return { ours, theirs, partners, final }
}

function addProjection(
  alignment: Alignment,
  place: ScopePair,
  snippet: Clause,
  anchor: number,
  projection: Projection,
): void {
  const alias =
    projection.aliasText === undefined
      ? ''
      : ` ${formatKeyword(alignment.style, 'AS')} ${projection.aliasText}`
  const sql = `${writeTerms(alignment, place, projection.terms)}${alias}`
  recordDifference(
    alignment,
    'select',
    insertListItem(alignment.snippet, snippet, anchor, sql, alignment.style),
    `adds the column ${abbreviateSql(sql)}`,
    `column ${abbreviateSql(sql)} was missing`,
  )
}

function rewriteProjection(
  alignment: Alignment,
  place: ScopePair,
  mine: Projection | undefined,
  other: Projection | undefined,
): void {
  if (mine === undefined || other === undefined) return
  if (areSameTerms(mine.terms, other.terms)) {
    recordEqualTerms(alignment, place, mine.terms, other.terms)
    return
  }
  const changes = rewriteTerms(
    alignment,
    place,
    mine.terms,
    inSnippetOrder(alignment, mine.terms, other.terms),
  )
  if (changes.length === 0) return
  const text = alignment.snippet.text.slice(mine.terms[0]?.start ?? 0, mine.terms.at(-1)?.end ?? 0)
  const after = abbreviateSql(writeTerms(alignment, place, other.terms, mine.terms))
  recordDifference(
    alignment,
    'select',
    changes,
    `computes ${after} instead of ${abbreviateSql(text)}`,
    `${abbreviateSql(text)} should be ${after}`,
  )
}

/** Pairs columns: by expression first, then by name, then by similarity. */
export function pairProjections(
  ours: readonly Projection[],
  theirs: readonly Projection[],
): Map<number, number> {
  const partners = new Map<number, number>()
  const taken = new Set<number>()
  const scored = theirs.flatMap((other, index) =>
    ours.map((mine, position) => {
      const same = areSameTerms(mine.terms, other.terms) ? 3 : 0
      const named = mine.alias !== undefined && mine.alias === other.alias ? 1.5 : 0
      const score = same + named + similarity(mine.terms, other.terms)
      return { index, position, score, apart: Math.abs(index - position) }
    }),
  )
  scored.sort((a, b) => b.score - a.score || a.apart - b.apart)
  const equalCount = ours.length === theirs.length
  for (const { index, position, score } of scored) {
    if (partners.has(index) || taken.has(position) || (score < minSimilarity && !equalCount)) continue
    partners.set(index, position)
    taken.add(position)
  }
  // If all columns differ, the first one is kept: a list is never replaced as a whole.
  if (partners.size === 0 && scored[0] !== undefined) partners.set(scored[0].index, scored[0].position)
  return partners
}

/**
 * Below this similarity, columns of two lists of different length are not treated as one that was changed.
 */
const minSimilarity = 0.6
