import type { Clause, Source } from '../../model/sql-clauses.js'
import type { TokenRange } from '../../model/token-ranges.js'
import { isInner, joinKindOf } from './join-kinds.js'
import { type Scope, type ScopeSource, scopeAt } from './query-scope.js'
import type { Alignment, ScopePair } from './snippet-alignment.js'
import { syntheticTerm, type Term } from './sql-term.js'
import { readTerms, type TokenizedQuery } from './term-reader.js'

/**
 * The meaning of an ON: the columns of one name that it equates, as USING would name them, and its other
 * conditions.
 */
export interface JoinCondition {
  readonly names: readonly string[]
  /** The ON without those equations. */
  readonly rest: Clause
}

/** Returns the columns that USING names, as written. */
export function usingNames({ tokens }: TokenizedQuery, { using }: Source): string[] {
  const listed = using === undefined ? [] : tokens.slice(using.from, using.to)
  return listed.filter((token) => token.kind !== 'symbol').map((token) => token.text)
}

/** Returns the condition of the ON of an expected source; undefined if it has none. */
export function joinConditionOf(
  alignment: Alignment,
  scope: Scope,
  { id, source }: ScopeSource,
): JoinCondition | undefined {
  const { on } = source
  if (on === undefined) return undefined
  const names = new Map<TokenRange, string>()
  for (const item of on.items) {
    const [left, right] = equatedColumns(
      readTerms(alignment.expected, item, scopeAt(scope, source.range), []),
    )
    const isOwn = (left?.qualifier === id) !== (right?.qualifier === id)
    if (left !== undefined && right !== undefined && left.key === right.key && isOwn)
      names.set(item, left.text)
  }
  return { names: [...names.values()], rest: { ...on, items: on.items.filter((item) => !names.has(item)) } }
}

/**
 * Reports whether the snippet's USING would have to become an ON to match the expected one. Further
 * conditions of an inner join may be in WHERE.
 */
export function requiresOnClause(
  alignment: Alignment,
  { names, rest }: JoinCondition,
  { source }: ScopeSource,
  isInner: boolean,
): boolean {
  const known = new Set(names.map(plain))
  const isKept = usingNames(alignment.snippet, source).every((name) => known.has(plain(name)))
  return rest.items.length > 0 && !(isInner && isKept)
}

/** Returns the USING of an expected source as comparisons that an ON of the snippet could have. */
export function usingAsEquations(
  alignment: Alignment,
  place: ScopePair,
  expected: ScopeSource,
  partner?: ScopeSource,
): Term[][] {
  const index = place.expected.sources.indexOf(expected)
  const isOwnFirst = startsWithOwnColumn(alignment, place.snippet)
  return usingNames(alignment.expected, expected.source).map((name) => {
    const left =
      leftTableOf(alignment, place.expected, index, name) ??
      (partner && joinedTableOf(alignment, place.snippet, partner, name))
    const sides = [column(left, name), column(expected.id, name)]
    const [one, other] = isOwnFirst ? sides.reverse() : sides
    return [one, syntheticTerm('symbol', '='), other].filter((term) => term !== undefined)
  })
}

/** Reports whether the snippet's author begins the ON of a table with its own column. */
function startsWithOwnColumn({ snippet }: Alignment, scope: Scope): boolean {
  return scope.sources.some(({ id, source }) =>
    (source.on?.items ?? []).some((item) => {
      const [left] = equatedColumns(readTerms(snippet, item, scopeAt(scope, source.range), []))
      return left?.qualifier === id
    }),
  )
}

/**
 * Reports whether a column of the snippet may be unqualified, as its author writes it, since USING merged
 * both into one. On a left join that is the one of the left table.
 */
export function isMergedByUsing(
  { snippet }: Alignment,
  { snippet: scope, usage }: ScopePair,
  { key, qualifier }: Term,
): boolean {
  const merging = scope.sources.filter(({ source }) =>
    usingNames(snippet, source).some((name) => plain(name) === key),
  )
  if (merging.length === 0 || usage.joining === true || usage.byColumn.has(key)) return false
  return merging.every(({ id, source }) => {
    const kind = joinKindOf(snippet.tokens, source)
    return kind === 'INNER' || (kind === 'LEFT' && id !== qualifier)
  })
}

/** Returns the preceding table that a column of USING belongs to; undefined if it may belong to several. */
function leftTableOf(
  alignment: Alignment,
  { sources }: Scope,
  index: number,
  name: string,
): string | undefined {
  const merging = sources
    .slice(0, index)
    .findIndex(({ source }) =>
      usingNames(alignment.expected, source).some((each) => plain(each) === plain(name)),
    )
  const at = merging === -1 ? index : merging
  return at === 1 ? sources[0]?.id : undefined
}

/** Returns the table that the snippet's ON joins the source to, preferably by a column of this name. */
function joinedTableOf(
  { snippet }: Alignment,
  scope: Scope,
  { id, source }: ScopeSource,
  name: string,
): string | undefined {
  const sides = (source.on?.items ?? []).flatMap((item) => {
    const [left, right] = equatedColumns(readTerms(snippet, item, scopeAt(scope, source.range), []))
    const other = left?.qualifier === id ? right : left
    return other?.qualifier === undefined || other.qualifier === id ? [] : [other]
  })
  return (sides.find(({ key }) => key === plain(name)) ?? sides[0])?.qualifier
}

/** Returns the two columns that a condition equates. */
function equatedColumns(terms: readonly Term[]): readonly [] | readonly [Term, Term] {
  const [left, equals, right, more] = terms
  const isEquation =
    left?.kind === 'name' && equals?.key === '=' && right?.kind === 'name' && more === undefined
  return isEquation ? [left, right] : []
}

function column(qualifier: string | undefined, name: string): Term {
  return { ...syntheticTerm('name', name, true), key: plain(name), qualifier }
}

function plain(name: string): string {
  return name.replaceAll(/["`[\]]/g, '').toLowerCase()
}

/**
 * Returns the join condition of an expected source as far as it has to be compared with the snippet's ON or
 * WHERE: if the snippet has an ON, also what a USING implies; if it has a USING, without what that implies.
 */
export function comparableCondition(
  alignment: Alignment,
  place: ScopePair,
  { snippet, expected }: { readonly snippet: ScopeSource; readonly expected: ScopeSource },
): { readonly clause: Clause | undefined; readonly unwritten: ReadonlyMap<Clause, Term[][]> } {
  const { on, using } = expected.source
  const mine = snippet.source
  if (mine.on !== undefined && using !== undefined) {
    const clause: Clause = { kind: 'on', range: using, body: using, items: [] }
    return { clause, unwritten: new Map([[clause, usingAsEquations(alignment, place, expected, snippet)]]) }
  }
  const condition =
    mine.using === undefined ? undefined : joinConditionOf(alignment, place.expected, expected)
  if (condition === undefined) return { clause: on, unwritten: new Map() }
  const inner = isInner(alignment.expected.tokens, expected.source)
  const clause = requiresOnClause(alignment, condition, snippet, inner) ? undefined : condition.rest
  return { clause, unwritten: new Map() }
}
