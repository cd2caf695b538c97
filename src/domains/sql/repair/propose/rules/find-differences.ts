import type { Clause, ClauseKind, Query, Select } from '../../model/sql-clauses.js'
import type { TokenRange } from '../../model/token-ranges.js'
import { compareConditions } from './compare-conditions.js'
import { compareGroupOrOrderBy } from './compare-group-order-by.js'
import { compareSources } from './compare-joins.js'
import { inlineViews, viewsToInline, withOutputs } from './inline-views.js'
import { isInner } from './join-kinds.js'
import { comparableCondition } from './join-using.js'
import { knownColumns } from './known-columns.js'
import { insertClause, offsetsOf, removeClause, textOf } from './layout-preserving-edits.js'
import { type ColumnAlignment, compareProjections, emptyColumnAlignment } from './projections.js'
import { emptyScope, type Scope, scopeOf, withCtes } from './query-scope.js'
import { rewriteTerms } from './rewrite-terms.js'
import {
  type Alignment,
  abbreviateSql,
  type InlinedSubquery,
  type QueryPair,
  recordDifference,
  type ScopePair,
} from './snippet-alignment.js'
import { columnUsage, pairSources, type SourcePair } from './source-pairing.js'
import { formatKeyword } from './sql-formatting-style.js'
import type { Term } from './sql-term.js'
import { syntheticTerm } from './sql-term.js'
import { writeTerms } from './sql-writer.js'
import { namedOutputs } from './subquery-outputs.js'
import { readTerms } from './term-reader.js'

/**
 * Finds, clause by clause and query by query, where the snippet differs in meaning from the expected query.
 */
export function findDifferences(alignment: Alignment, snippet: Query, expected: Query): void {
  const seen = new Set<TokenRange>()
  const expectedScope = { ...emptyScope, known: knownColumns(alignment) }
  alignment.pending.push({ snippet, expected, snippetScope: emptyScope, expectedScope })
  for (let pair = alignment.pending.shift(); pair !== undefined; pair = alignment.pending.shift()) {
    if (seen.has(pair.snippet.range)) continue
    seen.add(pair.snippet.range)
    compareQueries(alignment, pair)
  }
}

function compareQueries(
  alignment: Alignment,
  { snippet, expected, snippetScope, expectedScope }: QueryPair,
): void {
  const ours = withCtes(snippetScope, snippet)
  const theirs = withCtes(expectedScope, expected)
  if (snippet.arms.length !== expected.arms.length) return
  let last: { place: ScopePair; columns: ColumnAlignment } | undefined
  for (const [index, arm] of snippet.arms.entries()) {
    const other = expected.arms[index]
    if (other === undefined) continue
    const reach = snippet.arms.length === 1 ? { from: arm.range.from, to: snippet.range.to } : arm.range
    const { place: known, pairs } = alignScopes(
      alignment,
      { select: arm, scope: scopeOf('s', alignment.snippet.tokens, arm.sources, ours), reach },
      { select: other, scope: scopeOf('e', alignment.expected.tokens, other.sources, theirs) },
    )
    const around = [...arm.clauses.values(), ...snippet.tail.values()]
    last = { place: known, columns: compareSelects(alignment, known, pairs, arm, other, around) }
  }
  compareOperators(alignment, snippet, expected)
  if (last !== undefined) compareTails(alignment, last.place, last.columns, snippet, expected)
}

/** Pairs the sources of two SELECTs; sub-queries that only one of them has are inlined. */
function alignScopes(
  alignment: Alignment,
  ours: { readonly select: Select; readonly scope: Scope; readonly reach: TokenRange },
  theirs: { readonly select: Select; readonly scope: Scope },
): { place: ScopePair; pairs: SourcePair[] } {
  const views = viewsToInline(alignment, ours, theirs)
  const snippet = inlineViews(ours.scope, views.snippet)
  const paired = inlineViews(theirs.scope, views.expected)
  const pairs = pairSources(alignment, snippet, paired)
  const expected = withOutputs(alignment, alignment.expected, paired)
  const usage = columnUsage(alignment, ours.scope, ours.reach)
  const place: ScopePair = { snippet: ours.scope, expected, usage }
  if (views.snippet.length === 0) return { place, pairs }
  const around = { range: ours.reach, scope: ours.scope, expected, expectedSelect: theirs.select }
  const parts = views.snippet.map(({ source, select, scope }): InlinedSubquery => {
    const within = {
      snippet: scope,
      expected,
      usage: columnUsage(alignment, { ...scope, ownsBare: false }, select.range),
    }
    return { source, select, place: within }
  })
  const named = parts.flatMap((part) => namedOutputs(alignment, part, around))
  const known = { ...expected, named }
  return {
    place: {
      ...place,
      expected: known,
      inlinedSubqueries: parts.map((part) => ({
        ...part,
        place: { ...part.place, snippet: { ...part.place.snippet, named }, expected: known },
      })),
    },
    pairs,
  }
}

function compareSelects(
  alignment: Alignment,
  place: ScopePair,
  pairs: readonly SourcePair[],
  ours: Select,
  theirs: Select,
  around: readonly Clause[],
): ColumnAlignment {
  compareSources(alignment, place, pairs, ours)
  compareDistinct(alignment, ours, theirs)
  const [mine, other] = [ours.clauses.get('select'), theirs.clauses.get('select')]
  const columns = mine && other ? compareProjections(alignment, place, mine, other) : emptyColumnAlignment
  compareWhere(alignment, place, pairs, ours, theirs, around)
  const lists = [ours.clauses.get('group'), theirs.clauses.get('group')] as const
  compareGroupOrOrderBy(alignment, place, 'group', lists[0], lists[1], columns, around)
  for (const kind of ['having', 'qualify'] as const) {
    const [snippet, expected] = [ours.clauses.get(kind), theirs.clauses.get(kind)]
    const pool = {
      snippet: present(snippet),
      expected: present(expected),
      target: () => snippet,
      around,
      kind,
    }
    compareConditions(alignment, place, pool)
  }
  return columns
}

function present<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value]
}

function compareDistinct(alignment: Alignment, ours: Select, theirs: Select): void {
  if ((ours.distinct === undefined) === (theirs.distinct === undefined)) return
  const { tokens } = alignment.snippet
  const distinct = formatKeyword(alignment.style, 'DISTINCT')
  const at = tokens[ours.range.from]?.end ?? 0
  const end = ours.distinct === undefined ? at : (tokens[ours.distinct.from]?.end ?? at)
  const missing = ours.distinct === undefined
  recordDifference(
    alignment,
    'select',
    [{ start: at, end, text: missing ? ` ${distinct}` : '' }],
    missing ? 'adds DISTINCT' : 'drops DISTINCT',
    missing ? 'DISTINCT was missing' : 'DISTINCT was extra',
  )
}

/**
 * Compares conditions. A filter on an inner join may be in WHERE or in its ON; on any other join it must stay
 * where it is.
 */
function compareWhere(
  alignment: Alignment,
  place: ScopePair,
  pairs: readonly SourcePair[],
  ours: Select,
  theirs: Select,
  around: readonly Clause[],
): void {
  const where = ours.clauses.get('where')
  const kind = 'where' as const
  const partnerOf = new Map<Clause, Clause | undefined>()
  const inner: Clause[] = []
  const said = new Map<Clause, readonly (readonly Term[])[]>()
  // The conditions of joins that are added or removed are handled with their join.
  const theirWhere = wheresOf(theirs, place.expected)
  for (const pair of pairs) {
    const mine = pair.snippet.source.on
    const { clause: other, unwritten } = comparableCondition(alignment, place, pair)
    if (isInner(alignment.expected.tokens, pair.expected.source)) {
      inner.push(...present(mine))
      if (other !== undefined) partnerOf.set(other, mine)
      for (const [clause, equations] of unwritten) said.set(clause, equations)
    } else if (mine !== undefined && other !== undefined) {
      const pool = { snippet: [mine], expected: [other], target: () => mine, around, kind, unwritten }
      compareConditions(alignment, place, pool)
    }
  }
  const homes = [
    { where, around, place },
    ...(place.inlinedSubqueries ?? []).map((part) => ({
      where: part.select.clauses.get('where'),
      around: [...part.select.clauses.values()],
      place: part.place,
    })),
  ]
  compareConditions(alignment, place, {
    snippet: [...inner, ...homes.flatMap((home) => present(home.where))],
    expected: [...partnerOf.keys(), ...theirWhere],
    target: (clause) => partnerOf.get(clause) ?? where,
    unwritten: said,
    around,
    kind,
    insertionPoints: (clause) => (partnerOf.get(clause) === undefined ? homes : []),
  })
}

/** Returns the WHERE of a SELECT and those of its inlined sub-queries. */
function wheresOf(select: Select, scope: Scope): Clause[] {
  return [
    ...present(select.clauses.get('where')),
    ...(scope.views ?? []).flatMap((view) => wheresOf(view.select, view.scope)),
  ]
}

function compareOperators(alignment: Alignment, snippet: Query, expected: Query): void {
  for (const [index, operator] of snippet.operators.entries()) {
    const other = expected.operators[index]
    if (other === undefined) continue
    const text = formatKeyword(alignment.style, textOf(alignment.expected, other))
    const { start, end } = offsetsOf(alignment.snippet, operator)
    const before = alignment.snippet.text.slice(start, end)
    if (before.toUpperCase() === text.toUpperCase()) continue
    recordDifference(
      alignment,
      'set_operation',
      [{ start, end, text }],
      `combines with ${text} instead of ${before}`,
      `${before} should be ${text}`,
    )
  }
}

function compareTails(
  alignment: Alignment,
  place: ScopePair,
  columns: ColumnAlignment,
  snippet: Query,
  expected: Query,
): void {
  const arm = snippet.arms.at(-1)
  const around = [...(arm?.clauses.values() ?? []), ...snippet.tail.values()]
  const [ours, theirs] = [snippet.tail.get('order'), expected.tail.get('order')]
  compareGroupOrOrderBy(alignment, place, 'order', ours, theirs, columns, around)
  const limits = [snippet, expected].map((query) => query.tail.get('limit') ?? query.tail.get('fetch'))
  compareRowLimit(alignment, place, 'limit', limits[0], limits[1], around)
  compareRowLimit(alignment, place, 'offset', snippet.tail.get('offset'), expected.tail.get('offset'), around)
}

/** Compares the numbers of LIMIT and FETCH FIRST … ROWS, which are equivalent. */
function compareRowLimit(
  alignment: Alignment,
  place: ScopePair,
  kind: ClauseKind,
  ours: Clause | undefined,
  theirs: Clause | undefined,
  around: readonly Clause[],
): void {
  const name = formatKeyword(alignment.style, kind)
  if (theirs === undefined) {
    if (ours === undefined) return
    const sql = abbreviateSql(textOf(alignment.snippet, ours.range))
    const changes = removeClause(alignment.snippet, ours)
    recordDifference(alignment, kind, changes, `drops ${sql}`, `${sql} was extra`)
    return
  }
  const before = syntheticTerm('keyword', kind)
  const wanted = rowLimitTerms(readTerms(alignment.expected, theirs.body, place.expected, alignment.values))
  const sql = `${name} ${writeTerms(alignment, place, wanted, [], before)}`
  if (ours === undefined) {
    const changes = insertClause(alignment.snippet, around, kind, [sql], alignment.style)
    recordDifference(alignment, kind, changes, `adds ${sql}`, `${sql} was missing`)
    return
  }
  const written = rowLimitTerms(readTerms(alignment.snippet, ours.body, place.snippet, alignment.values))
  const changes = rewriteTerms(alignment, place, written, wanted, before)
  if (changes.length === 0) return
  const old = abbreviateSql(textOf(alignment.snippet, ours.range))
  recordDifference(alignment, kind, changes, `has ${sql} instead of ${old}`, `${old} should be ${sql}`)
}

function rowLimitTerms(terms: readonly Term[]): Term[] {
  return terms.filter((term) => term.kind === 'literal' || term.kind === 'placeholder')
}
