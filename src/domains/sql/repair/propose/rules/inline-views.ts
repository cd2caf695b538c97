import type { SqlToken } from '../../../../../sql/index.js'
import type { Query, Select } from '../../model/sql-clauses.js'
import { containsRange, foldedName, isWord, type TokenRange } from '../../model/token-ranges.js'
import { isInner } from './join-kinds.js'
import { projectionsOf } from './projections.js'
import { type InlineView, type Scope, type ScopeSource, scopeOf, withCtes } from './query-scope.js'
import type { Alignment, InlinedSubquery, ScopePair } from './snippet-alignment.js'
import type { TokenizedQuery } from './term-reader.js'

const aggregate =
  /^(sum|avg|min|max|count|total|median|mode|any_value|var\w*|std\w*|quantile\w*|percentile\w*|approx_\w+|\w+_agg|list|group_concat|count_?if|sum_?if|arg_?max|arg_?min|max_by|min_by|unnest|explode)$/

/**
 * Returns the sub-queries in FROM of which one of the queries has more than the other, and that only filter,
 * join and name columns: their content may be written in the surrounding SELECT as well.
 */
export function viewsToInline(
  alignment: Alignment,
  snippet: { readonly select: Select; readonly scope: Scope },
  expected: { readonly select: Select; readonly scope: Scope },
): { snippet: InlineView[]; expected: InlineView[] } {
  const more = countDerivedTables(snippet.scope) - countDerivedTables(expected.scope)
  const none = { snippet: [], expected: [] }
  if (more === 0) return none
  const views =
    more > 0
      ? inlinableViews('s', alignment.snippet, snippet.select, snippet.scope).filter(
          ({ source, scope }) => isReadOnce(alignment.snippet, source) && countDerivedTables(scope) === 0,
        )
      : inlinableViews('e', alignment.expected, expected.select, expected.scope)
  const toOpen = views.slice(0, Math.abs(more))
  if (toOpen.length === 0) return none
  const [from, other] = more > 0 ? [snippet, expected] : [expected, snippet]
  // If one side would still read more than the other, the sub-query itself is superfluous, or missing.
  const fits = inlineViews(from.scope, toOpen).sources.length <= other.scope.sources.length
  // Columns that the snippet's sub-query does not return cannot be used outside it.
  if (more > 0 && !fits) return none
  const choice = alignment.choose(`views:${snippet.select.range.from}`, 2)
  if ((choice === 0) !== fits) return none
  return more > 0 ? { snippet: toOpen, expected: [] } : { snippet: [], expected: toOpen }
}

function countDerivedTables({ sources }: Scope): number {
  return sources.filter(({ query }) => query !== undefined).length
}

function inlinableViews(name: 's' | 'e', side: TokenizedQuery, select: Select, scope: Scope): InlineView[] {
  const { tokens } = side
  const keepsRows = select.sources.every(
    ({ join }) =>
      !tokens.slice(join.from, join.to).some(({ value }) => value === 'RIGHT' || value === 'FULL'),
  )
  return scope.sources.flatMap((source): InlineView[] => {
    const { query } = source
    const inner = query && inlinableSelect(side, query)
    if (query === undefined || inner === undefined || !keepsRows || !isInner(tokens, source.source)) return []
    const within = scopeOf(name, tokens, inner.sources, withCtes(source.queryScope, query))
    const views = name === 'e' ? inlinableViews(name, side, inner, within) : []
    const all = { ...inlineViews(within, views), ownsBare: views.length === 0 && within.sources.length === 1 }
    const [first] = all.sources
    const { join, on, using } = source.source
    // The join of the sub-query becomes the join of its first source.
    if (first !== undefined) first.source = { ...first.source, join, on, using }
    return [{ source, select: inner, scope: all, outputs: new Map() }]
  })
}

/**
 * Reports whether there is `s.*`, or a star beside other columns or over several tables: its columns are not
 * written in the query.
 */
function hasUnexpandableStar(words: readonly SqlToken[], sources: number): boolean {
  const isStar = ({ text }: SqlToken, at: number): boolean => {
    const before = words[at - 1]?.text
    return text === '*' && (before === undefined || /^(?:select|,|\.)$/iu.test(before))
  }
  return words.some(isStar) && (sources > 1 || words.filter(({ text }) => text === ',').length > 0)
}

/** Returns the SELECT of a query that returns one row for each row it reads. */
function inlinableSelect({ tokens }: TokenizedQuery, query: Query): Select | undefined {
  const [arm, ...others] = query.arms
  if (arm === undefined || others.length > 0 || query.tail.size > 0 || arm.distinct !== undefined)
    return undefined
  const kinds = [...arm.clauses.keys()]
  const list = arm.clauses.get('select')
  if (list === undefined || kinds.some((kind) => kind !== 'select' && kind !== 'from' && kind !== 'where')) {
    return undefined
  }
  const words = tokens.slice(list.range.from, list.range.to)
  if (hasUnexpandableStar(words, arm.sources.length)) return undefined
  const gathers = words.some(
    (token, index) =>
      token.kind === 'word' &&
      (token.value === 'OVER' ||
        (words[index + 1]?.text === '(' && aggregate.test(token.value.toLowerCase()))),
  )
  return gathers ? undefined : arm
}

function isReadOnce({ tokens }: TokenizedQuery, { source, table, query }: ScopeSource): boolean {
  if (query === source.query || table !== undefined) return true
  return countReads(tokens, foldedName(tokens[source.relation.from])) === 1
}

/** Counts how often a CTE is read. */
export function countReads(tokens: readonly SqlToken[], name: string): number {
  const reads = tokens.filter((token, index) => {
    const follows = isWord(tokens, index - 1, 'FROM', 'JOIN') || tokens[index - 1]?.text === ','
    const isDefined = isWord(tokens, index + 1, 'AS') && tokens[index + 2]?.text === '('
    return foldedName(token) === name && follows && !isDefined && tokens[index + 1]?.text !== '.'
  })
  return reads.length
}

/**
 * Reports whether a CTE that was read before is still defined but read no more: nobody would write such dead
 * code.
 */
export function leavesDeadCte(before: readonly SqlToken[], after: readonly SqlToken[]): boolean {
  const defined = (tokens: readonly SqlToken[]): string[] =>
    tokens.flatMap((token, at) =>
      isWord(tokens, at + 1, 'AS') && tokens[at + 2]?.text === '(' && token.kind === 'word'
        ? [foldedName(token)]
        : [],
    )
  const was = defined(before).filter((name) => countReads(before, name) > 0)
  return defined(after).some((name) => was.includes(name) && countReads(after, name) === 0)
}

/** Returns the scope with the sources of the sub-queries in place of the sub-queries. */
export function inlineViews(scope: Scope, views: readonly InlineView[]): Scope {
  if (views.length === 0) return scope
  const sources = scope.sources.flatMap((source) => {
    const view = views.find((each) => each.source === source)
    return view === undefined ? [source] : view.scope.sources
  })
  return { ...scope, sources, views }
}

/** Returns the scope with the output columns of its sub-queries; its sources must have been paired. */
export function withOutputs(alignment: Alignment, side: TokenizedQuery, scope: Scope): Scope {
  const views = scope.views?.map((view): InlineView => {
    const inner = withOutputs(alignment, side, view.scope)
    const projections = projectionsOf(alignment, side, inner, view.select.clauses.get('select'))
    const outputs = new Map(
      projections.flatMap(({ alias, terms }) => (alias === undefined ? [] : [[alias, terms]])),
    )
    return { ...view, scope: inner, outputs }
  })
  return views === undefined ? scope : { ...scope, views }
}

/**
 * Returns the scopes of a range of the snippet: those of the inlined sub-query that contains it, or `place`
 * itself.
 */
export function scopesAt(place: ScopePair, range: TokenRange): ScopePair {
  return inlinedSubqueryAt(place, range)?.place ?? place
}

export function inlinedSubqueryAt(place: ScopePair, range: TokenRange): InlinedSubquery | undefined {
  return place.inlinedSubqueries?.find(({ select }) => containsRange(select.range, range))
}
