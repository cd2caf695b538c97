import { type Alignment, brief, type Pair, type Part, type Place, report } from './alignment.js'
import type { Clause, ClauseKind, Query, Select } from './clauses.js'
import { compareConditions } from './conditions.js'
import { isInner } from './join-kinds.js'
import { compareSources } from './joins.js'
import { knownColumns } from './known-columns.js'
import { insertClause, offsets, removeClause, textOf } from './layout.js'
import { compareOrdering } from './orderings.js'
import { namedBy } from './outputs.js'
import { columnUsage, pairSources, type SourcePair } from './pairing.js'
import { type Columns, compareProjections, noColumns } from './projections.js'
import { rewrite } from './rewrite.js'
import type { Range } from './scan.js'
import { emptyScope, type Scope, scopeOf, withCtes } from './scope.js'
import { keyword } from './style.js'
import type { Term } from './term.js'
import { madeUp } from './term.js'
import { readTerms } from './terms.js'
import { conditionBeside } from './using.js'
import { opened, viewsToOpen, withOutputs } from './views.js'
import { writeTerms } from './write.js'

/** Finds, clause by clause and query by query, where the snippet says something else than the expected query. */
export function findDifferences(alignment: Alignment, snippet: Query, expected: Query): void {
  const seen = new Set<Range>()
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
  { snippet, expected, snippetScope, expectedScope }: Pair,
): void {
  const ours = withCtes(snippetScope, snippet)
  const theirs = withCtes(expectedScope, expected)
  if (snippet.arms.length !== expected.arms.length) return
  let last: { place: Place; columns: Columns } | undefined
  for (const [index, arm] of snippet.arms.entries()) {
    const other = expected.arms[index]
    if (other === undefined) continue
    const reach = snippet.arms.length === 1 ? { from: arm.range.from, to: snippet.range.to } : arm.range
    const { place: known, pairs } = placeOf(
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

/** Pairs the sources of two SELECTs, sub-queries that are read as part of one of them opened. */
function placeOf(
  alignment: Alignment,
  ours: { readonly select: Select; readonly scope: Scope; readonly reach: Range },
  theirs: { readonly select: Select; readonly scope: Scope },
): { place: Place; pairs: SourcePair[] } {
  const views = viewsToOpen(alignment, ours, theirs)
  const snippet = opened(ours.scope, views.snippet)
  const paired = opened(theirs.scope, views.expected)
  const pairs = pairSources(alignment, snippet, paired)
  const expected = withOutputs(alignment, alignment.expected, paired)
  const usage = columnUsage(alignment, ours.scope, ours.reach)
  const place: Place = { snippet: ours.scope, expected, usage }
  if (views.snippet.length === 0) return { place, pairs }
  const around = { range: ours.reach, scope: ours.scope, expected, expectedSelect: theirs.select }
  const parts = views.snippet.map(({ source, select, scope }): Part => {
    const within = {
      snippet: scope,
      expected,
      usage: columnUsage(alignment, { ...scope, ownsBare: false }, select.range),
    }
    return { source, select, place: within }
  })
  const named = parts.flatMap((part) => namedBy(alignment, part, around))
  const known = { ...expected, named }
  return {
    place: {
      ...place,
      expected: known,
      parts: parts.map((part) => ({
        ...part,
        place: { ...part.place, snippet: { ...part.place.snippet, named }, expected: known },
      })),
    },
    pairs,
  }
}

function compareSelects(
  alignment: Alignment,
  place: Place,
  pairs: readonly SourcePair[],
  ours: Select,
  theirs: Select,
  around: readonly Clause[],
): Columns {
  compareSources(alignment, place, pairs, ours)
  compareDistinct(alignment, ours, theirs)
  const [mine, other] = [ours.clauses.get('select'), theirs.clauses.get('select')]
  const columns = mine && other ? compareProjections(alignment, place, mine, other) : noColumns
  compareWhere(alignment, place, pairs, ours, theirs, around)
  const lists = [ours.clauses.get('group'), theirs.clauses.get('group')] as const
  compareOrdering(alignment, place, 'group', lists[0], lists[1], columns, around)
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
  const distinct = keyword(alignment.style, 'DISTINCT')
  const at = tokens[ours.range.from]?.end ?? 0
  const end = ours.distinct === undefined ? at : (tokens[ours.distinct.from]?.end ?? at)
  const missing = ours.distinct === undefined
  report(
    alignment,
    'select',
    [{ start: at, end, text: missing ? ` ${distinct}` : '' }],
    missing ? 'adds DISTINCT' : 'drops DISTINCT',
    missing ? 'DISTINCT was missing' : 'DISTINCT was too much',
  )
}

/** A filter on an inner join may stand in WHERE or in its ON; on any other join it must stay where it is. */
function compareWhere(
  alignment: Alignment,
  place: Place,
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
  // The conditions of joins that are added or dropped come and go with them.
  const theirWhere = wheresOf(theirs, place.expected)
  for (const pair of pairs) {
    const mine = pair.snippet.source.on
    const { clause: other, unwritten } = conditionBeside(alignment, place, pair)
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
    ...(place.parts ?? []).map((part) => ({
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
    homes: (clause) => (partnerOf.get(clause) === undefined ? homes : []),
  })
}

/** The WHERE of a SELECT and those of sub-queries that are read as part of it. */
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
    const text = keyword(alignment.style, textOf(alignment.expected, other))
    const { start, end } = offsets(alignment.snippet, operator)
    const before = alignment.snippet.text.slice(start, end)
    if (before.toUpperCase() === text.toUpperCase()) continue
    report(
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
  place: Place,
  columns: Columns,
  snippet: Query,
  expected: Query,
): void {
  const arm = snippet.arms.at(-1)
  const around = [...(arm?.clauses.values() ?? []), ...snippet.tail.values()]
  const [ours, theirs] = [snippet.tail.get('order'), expected.tail.get('order')]
  compareOrdering(alignment, place, 'order', ours, theirs, columns, around)
  const limits = [snippet, expected].map((query) => query.tail.get('limit') ?? query.tail.get('fetch'))
  compareCount(alignment, place, 'limit', limits[0], limits[1], around)
  compareCount(alignment, place, 'offset', snippet.tail.get('offset'), expected.tail.get('offset'), around)
}

/** LIMIT and FETCH FIRST … ROWS count alike: only their number is compared. */
function compareCount(
  alignment: Alignment,
  place: Place,
  kind: ClauseKind,
  ours: Clause | undefined,
  theirs: Clause | undefined,
  around: readonly Clause[],
): void {
  const name = keyword(alignment.style, kind)
  if (theirs === undefined) {
    if (ours === undefined) return
    const sql = brief(textOf(alignment.snippet, ours.range))
    const changes = removeClause(alignment.snippet, ours)
    report(alignment, kind, changes, `drops ${sql}`, `${sql} was too much`)
    return
  }
  const before = madeUp('keyword', kind)
  const wanted = counts(readTerms(alignment.expected, theirs.body, place.expected, alignment.values))
  const sql = `${name} ${writeTerms(alignment, place, wanted, [], before)}`
  if (ours === undefined) {
    const changes = insertClause(alignment.snippet, around, kind, [sql], alignment.style)
    report(alignment, kind, changes, `adds ${sql}`, `${sql} was missing`)
    return
  }
  const written = counts(readTerms(alignment.snippet, ours.body, place.snippet, alignment.values))
  const changes = rewrite(alignment, place, written, wanted, before)
  if (changes.length === 0) return
  const old = brief(textOf(alignment.snippet, ours.range))
  report(alignment, kind, changes, `has ${sql} instead of ${old}`, `${old} should be ${sql}`)
}

function counts(terms: readonly Term[]): Term[] {
  return terms.filter((term) => term.kind === 'literal' || term.kind === 'placeholder')
}
