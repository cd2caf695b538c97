import type { Clause, ClauseKind } from '../../model/sql-clauses.js'
import { aliasOf, expressionOf, hasEqualKeys, keysOf, type SortOrGroupKey } from './group-order-keys.js'
import {
  insertClause,
  insertListItem,
  offsetsOf,
  removeClause,
  removeListItem,
  textOf,
} from './layout-preserving-edits.js'
import type { ColumnAlignment } from './projections.js'
import { recordEqualTerms, rewriteTerms } from './rewrite-terms.js'
import { type Alignment, abbreviateSql, recordDifference, type ScopePair } from './snippet-alignment.js'
import { formatKeyword } from './sql-formatting-style.js'
import { areSameTerms, syntheticTerm, type Term } from './sql-term.js'
import { writeTerms } from './sql-writer.js'

/**
 * Finds missing, extra and changed members of GROUP BY or ORDER BY; ordinals, aliases and expressions are
 * equivalent.
 */
export function compareGroupOrOrderBy(
  alignment: Alignment,
  place: ScopePair,
  kind: 'group' | 'order',
  snippet: Clause | undefined,
  expected: Clause | undefined,
  columns: ColumnAlignment,
  around: readonly Clause[],
): void {
  const theirs = keysOf(alignment, alignment.expected, place.expected, expected, columns, 'theirs')
  if (snippet === undefined) {
    addClause(alignment, place, kind, theirs, columns, around)
    return
  }
  if (expected === undefined) {
    const sql = abbreviateSql(textOf(alignment.snippet, snippet.range))
    recordDifference(
      alignment,
      kind,
      removeClause(alignment.snippet, snippet),
      `drops ${sql}`,
      `${sql} was extra`,
    )
    return
  }
  const ours = keysOf(alignment, alignment.snippet, place.snippet, snippet, columns, 'ours')
  const partners = pairMembers(ours, theirs)
  const sequence = [...partners].sort(([a], [b]) => a - b).map(([, mine]) => mine)
  const inOrder = sequence.every((mine, index) => index === 0 || mine > (sequence[index - 1] ?? 0))
  if (kind === 'order' && !inOrder) {
    const ordinals = usesOrdinals(alignment, around)
    const sql = theirs.map((member) => memberText(alignment, place, member, columns, ordinals)).join(', ')
    const { start, end } = offsetsOf(alignment.snippet, snippet.body)
    recordDifference(
      alignment,
      kind,
      [{ start, end, text: sql }],
      `orders by ${sql}`,
      `the order should be ${sql}`,
    )
    return
  }
  for (const [other, mine] of partners)
    compareMember(alignment, place, kind, ours[mine], theirs[other], columns)
  const kept = new Set(partners.values())
  const removed = new Set(ours.map((_, index) => index).filter((index) => !kept.has(index)))
  for (const index of removed) {
    const sql = abbreviateSql(textOf(alignment.snippet, snippet.items[index] ?? snippet.body))
    const changes = removeListItem(alignment.snippet, snippet, index, removed)
    recordDifference(
      alignment,
      kind,
      changes,
      `no longer ${verb[kind]} ${sql}`,
      `${noun[kind]} ${sql} was extra`,
    )
  }
  const ordinals = usesOrdinals(alignment, around)
  for (const [other, member] of theirs.entries()) {
    if (partners.has(other)) continue
    const before = [...partners].filter(([index]) => index < other).sort(([a], [b]) => b - a)[0]
    const sql = memberText(alignment, place, member, columns, ordinals)
    const changes = insertListItem(alignment.snippet, snippet, before?.[1] ?? -1, sql, alignment.style)
    const meaning = describeMember(alignment, place, member, columns, sql)
    recordDifference(
      alignment,
      kind,
      changes,
      `also ${verb[kind]} ${meaning}`,
      `${noun[kind]} ${meaning} was missing`,
    )
  }
}

const verb = { group: 'groups by', order: 'orders by' } as const
const noun = { group: 'grouping by', order: 'ordering by' } as const

function addClause(
  alignment: Alignment,
  place: ScopePair,
  kind: 'group' | 'order',
  theirs: readonly SortOrGroupKey[],
  columns: ColumnAlignment,
  around: readonly Clause[],
): void {
  if (theirs.length === 0) return
  const ordinals = usesOrdinals(alignment, around)
  const list = theirs.map((member) => memberText(alignment, place, member, columns, ordinals)).join(', ')
  const sql = `${formatKeyword(alignment.style, `${kind} by`)} ${list}`
  const changes = insertClause(alignment.snippet, around, kind, [sql], alignment.style)
  recordDifference(alignment, kind, changes, `adds ${sql}`, `${sql} was missing`)
}

function pairMembers(
  ours: readonly SortOrGroupKey[],
  theirs: readonly SortOrGroupKey[],
): Map<number, number> {
  const partners = new Map<number, number>()
  const taken = new Set<number>()
  const pair = (fits: (mine: SortOrGroupKey, other: SortOrGroupKey) => boolean): void => {
    for (const [index, other] of theirs.entries()) {
      if (partners.has(index)) continue
      const found = ours.findIndex((mine, position) => !taken.has(position) && fits(mine, other))
      if (found === -1) continue
      partners.set(index, found)
      taken.add(found)
    }
  }
  pair((mine, other) => mine.column !== undefined && mine.column === other.column)
  pair((mine, other) => areSameTerms(mine.terms, other.terms))
  pair((mine) => mine.form === 'expression' && mine.column === undefined)
  pair(() => true)
  return partners
}

function compareMember(
  alignment: Alignment,
  place: ScopePair,
  kind: 'group' | 'order',
  mine: SortOrGroupKey | undefined,
  other: SortOrGroupKey | undefined,
  columns: ColumnAlignment,
): void {
  if (mine === undefined || other === undefined) return
  if (mine.form !== 'expression' && mine.column !== other.column) {
    const { start, end } = { start: mine.terms[0]?.start ?? 0, end: mine.terms.at(-1)?.end ?? 0 }
    const text = memberText(alignment, place, { ...other, direction: [] }, columns, mine.form === 'ordinal')
    const [before, after] = [
      alignment.snippet.text.slice(start, end),
      describeMember(alignment, place, other, columns, text),
    ]
    recordDifference(
      alignment,
      kind,
      [{ start, end, text }],
      `${verb[kind]} ${after} instead of ${before}`,
      `${before} should be ${after}`,
    )
  } else if (mine.form === 'ordinal') {
    renumber(alignment, kind, mine, columns)
  } else if (mine.form === 'expression') {
    const wanted = wantedTerms(other, columns)
    const before = abbreviateSql(
      alignment.snippet.text.slice(mine.terms[0]?.start ?? 0, mine.terms.at(-1)?.end ?? 0),
    )
    if (areSameTerms(mine.terms, wanted)) {
      recordEqualTerms(alignment, place, mine.terms, wanted)
    } else {
      const after = abbreviateSql(writeTerms(alignment, place, wanted, mine.terms))
      const changes = rewriteTerms(alignment, place, mine.terms, wanted)
      recordDifference(
        alignment,
        kind,
        changes,
        `${verb[kind]} ${after} instead of ${before}`,
        `${before} should be ${after}`,
      )
    }
  }
  if (hasEqualKeys(mine.direction, other.direction)) return
  const written = mine.terms.at(-1)
  if (written === undefined) return
  const end = mine.direction.at(-1)?.end ?? endAfterAsc(alignment, written.end)
  const direction = other.direction.length === 0 ? '' : ` ${writeTerms(alignment, place, other.direction)}`
  const change = { start: written.end, end, text: direction }
  const meaning = direction === '' ? ' ascending' : direction
  const sql = abbreviateSql(alignment.snippet.text.slice(mine.terms[0]?.start ?? 0, written.end))
  recordDifference(
    alignment,
    kind,
    [change],
    `orders by ${sql}${meaning}`,
    `the order by ${sql} should be${meaning}`,
  )
}

/** Returns a member as the snippet would write it if it does not use ordinals. */
function wantedTerms(member: SortOrGroupKey, columns: ColumnAlignment): readonly Term[] {
  const alias = member.form === 'alias' ? aliasOf(member, columns) : undefined
  if (alias !== undefined) return [{ ...syntheticTerm('symbol', alias), key: alias.toLowerCase() }]
  return member.form === 'expression' ? member.terms : (expressionOf(member, columns) ?? member.terms)
}

/** Returns where a redundant ASC ends, so that another direction replaces it. */
function endAfterAsc(alignment: Alignment, end: number): number {
  return end + (/^\s+asc\b/i.exec(alignment.snippet.text.slice(end))?.[0].length ?? 0)
}

/** Adjusts ordinals to columns that are added or removed before theirs. */
function renumber(
  alignment: Alignment,
  kind: ClauseKind,
  mine: SortOrGroupKey,
  columns: ColumnAlignment,
): void {
  const [term] = mine.terms
  const position = columns.final.findIndex((column) => String(column.ours) === mine.column)
  if (term === undefined || position === -1 || String(position + 1) === term.key) return
  recordDifference(
    alignment,
    kind,
    [{ start: term.start, end: term.end, text: String(position + 1) }],
    '',
    '',
  )
}

/** Reports whether the author writes ordinals in GROUP BY and ORDER BY; undefined if there is neither. */
function usesOrdinals(alignment: Alignment, around: readonly Clause[]): boolean | undefined {
  const lists = around.filter((clause) => clause.kind === 'group' || clause.kind === 'order')
  if (lists.length === 0) return undefined
  return lists.some(({ items }) =>
    items.some((item) => alignment.snippet.tokens[item.from]?.kind === 'number' && item.to - item.from <= 2),
  )
}

function memberText(
  alignment: Alignment,
  place: ScopePair,
  member: SortOrGroupKey,
  columns: ColumnAlignment,
  ordinals: boolean | undefined,
): string {
  const direction = member.direction.map((term, index) => (index === 0 ? { ...term, spaced: true } : term))
  const position = columns.final.findIndex(
    (column) => String(column.ours) === member.column || `+${column.theirs}` === member.column,
  )
  if (position !== -1 && (ordinals ?? member.form === 'ordinal')) {
    return writeTerms(alignment, place, [syntheticTerm('literal', String(position + 1)), ...direction])
  }
  return writeTerms(alignment, place, [...wantedTerms(member, columns), ...direction])
}

function describeMember(
  alignment: Alignment,
  place: ScopePair,
  member: SortOrGroupKey,
  columns: ColumnAlignment,
  sql: string,
): string {
  const terms = expressionOf(member, columns)
  return abbreviateSql(terms === undefined ? sql : writeTerms(alignment, place, terms))
}
