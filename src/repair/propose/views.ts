import type { SqlToken } from '../../sql/tokens.js'
import type { Alignment, Part, Place } from './alignment.js'
import type { Query, Select } from './clauses.js'
import { isInner } from './join-kinds.js'
import { projectionsOf } from './projections.js'
import { holds, isWord, nameOf, type Range } from './scan.js'
import { type Scope, type ScopeSource, scopeOf, type View, withCtes } from './scope.js'
import type { Side } from './terms.js'

const aggregate =
  /^(sum|avg|min|max|count|total|median|mode|any_value|var\w*|std\w*|quantile\w*|percentile\w*|approx_\w+|\w+_agg|list|group_concat|count_?if|sum_?if|arg_?max|arg_?min|max_by|min_by|unnest|explode)$/

/**
 * The sub-queries in FROM of which one of the queries has more than the other, and that only filter, join and name
 * columns: what they say may stand in the SELECT around them as well.
 */
export function viewsToOpen(
  alignment: Alignment,
  snippet: { readonly select: Select; readonly scope: Scope },
  expected: { readonly select: Select; readonly scope: Scope },
): { snippet: View[]; expected: View[] } {
  const more = derived(snippet.scope) - derived(expected.scope)
  const none = { snippet: [], expected: [] }
  if (more === 0) return none
  const views =
    more > 0
      ? plainViews('s', alignment.snippet, snippet.select, snippet.scope).filter(
          ({ source, scope }) => isReadOnce(alignment.snippet, source) && derived(scope) === 0,
        )
      : plainViews('e', alignment.expected, expected.select, expected.scope)
  const toOpen = views.slice(0, Math.abs(more))
  if (toOpen.length === 0) return none
  const [from, other] = more > 0 ? [snippet, expected] : [expected, snippet]
  // Where one side would read more than the other all the same, the sub-query itself is too much, or missing.
  const fits = opened(from.scope, toOpen).sources.length <= other.scope.sources.length
  // What the snippet's sub-query does not give out cannot be written around it.
  if (more > 0 && !fits) return none
  const choice = alignment.pick(`views:${snippet.select.range.from}`, 2)
  if ((choice === 0) !== fits) return none
  return more > 0 ? { snippet: toOpen, expected: [] } : { snippet: [], expected: toOpen }
}

function derived({ sources }: Scope): number {
  return sources.filter(({ query }) => query !== undefined).length
}

function plainViews(name: 's' | 'e', side: Side, select: Select, scope: Scope): View[] {
  const { tokens } = side
  const keepsRows = select.sources.every(
    ({ join }) =>
      !tokens.slice(join.from, join.to).some(({ value }) => value === 'RIGHT' || value === 'FULL'),
  )
  return scope.sources.flatMap((source): View[] => {
    const { query } = source
    const inner = query && plainSelect(side, query)
    if (query === undefined || inner === undefined || !keepsRows || !isInner(tokens, source.source)) return []
    const within = scopeOf(name, tokens, inner.sources, withCtes(source.queryScope, query))
    const views = name === 'e' ? plainViews(name, side, inner, within) : []
    const all = { ...opened(within, views), ownsBare: views.length === 0 && within.sources.length === 1 }
    const [first] = all.sources
    const { join, on, using } = source.source
    // What joins the sub-query joins its first source.
    if (first !== undefined) first.source = { ...first.source, join, on, using }
    return [{ source, select: inner, scope: all, outputs: new Map() }]
  })
}

/** `s.*`, and a star beside other columns or over several tables: what it gives out is not written. */
function namesNoColumns(words: readonly SqlToken[], sources: number): boolean {
  const isStar = ({ text }: SqlToken, at: number): boolean => {
    const before = words[at - 1]?.text
    return text === '*' && (before === undefined || /^(?:select|,|\.)$/iu.test(before))
  }
  return words.some(isStar) && (sources > 1 || words.filter(({ text }) => text === ',').length > 0)
}

/** The SELECT of a query that gives out a row for each row it reads. */
function plainSelect({ tokens }: Side, query: Query): Select | undefined {
  const [arm, ...others] = query.arms
  if (arm === undefined || others.length > 0 || query.tail.size > 0 || arm.distinct !== undefined)
    return undefined
  const kinds = [...arm.clauses.keys()]
  const list = arm.clauses.get('select')
  if (list === undefined || kinds.some((kind) => kind !== 'select' && kind !== 'from' && kind !== 'where')) {
    return undefined
  }
  const words = tokens.slice(list.range.from, list.range.to)
  if (namesNoColumns(words, arm.sources.length)) return undefined
  const gathers = words.some(
    (token, index) =>
      token.kind === 'word' &&
      (token.value === 'OVER' ||
        (words[index + 1]?.text === '(' && aggregate.test(token.value.toLowerCase()))),
  )
  return gathers ? undefined : arm
}

function isReadOnce({ tokens }: Side, { source, table, query }: ScopeSource): boolean {
  if (query === source.query || table !== undefined) return true
  return readsOf(tokens, nameOf(tokens[source.relation.from])) === 1
}

/** How often a CTE is read. */
export function readsOf(tokens: readonly SqlToken[], name: string): number {
  const reads = tokens.filter((token, index) => {
    const follows = isWord(tokens, index - 1, 'FROM', 'JOIN') || tokens[index - 1]?.text === ','
    const isDefined = isWord(tokens, index + 1, 'AS') && tokens[index + 2]?.text === '('
    return nameOf(token) === name && follows && !isDefined && tokens[index + 1]?.text !== '.'
  })
  return reads.length
}

/** Whether a CTE that was read is still written and read no more: dead code, which nobody would write. */
export function leavesDeadCte(before: readonly SqlToken[], after: readonly SqlToken[]): boolean {
  const defined = (tokens: readonly SqlToken[]): string[] =>
    tokens.flatMap((token, at) =>
      isWord(tokens, at + 1, 'AS') && tokens[at + 2]?.text === '(' && token.kind === 'word'
        ? [nameOf(token)]
        : [],
    )
  const was = defined(before).filter((name) => readsOf(before, name) > 0)
  return defined(after).some((name) => was.includes(name) && readsOf(after, name) === 0)
}

/** The scope with what the sub-queries read in place of them. */
export function opened(scope: Scope, views: readonly View[]): Scope {
  if (views.length === 0) return scope
  const sources = scope.sources.flatMap((source) => {
    const view = views.find((each) => each.source === source)
    return view === undefined ? [source] : view.scope.sources
  })
  return { ...scope, sources, views }
}

/** The scope whose sub-queries tell what they give out; its sources must be paired by then. */
export function withOutputs(alignment: Alignment, side: Side, scope: Scope): Scope {
  const views = scope.views?.map((view): View => {
    const inner = withOutputs(alignment, side, view.scope)
    const projections = projectionsOf(alignment, side, inner, view.select.clauses.get('select'))
    const outputs = new Map(
      projections.flatMap(({ alias, terms }) => (alias === undefined ? [] : [[alias, terms]])),
    )
    return { ...view, scope: inner, outputs }
  })
  return views === undefined ? scope : { ...scope, views }
}

/** The place of a stretch of the snippet: that of a sub-query which is read as part, or `place` itself. */
export function placeAt(place: Place, range: Range): Place {
  return partAt(place, range)?.place ?? place
}

export function partAt(place: Place, range: Range): Part | undefined {
  return place.parts?.find(({ select }) => holds(select.range, range))
}
