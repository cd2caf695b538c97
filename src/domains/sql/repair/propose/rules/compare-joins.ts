import { distance } from 'fastest-levenshtein'
import type { Select } from '../../model/sql-clauses.js'
import type { TokenRange } from '../../model/token-ranges.js'
import { addJoin, joinConditionText, relationText } from './add-join.js'
import { inlinedSubqueryAt, scopesAt } from './inline-views.js'
import { isInner, joinKindOf } from './join-kinds.js'
import { joinConditionOf, requiresOnClause, usingNames } from './join-using.js'
import { offsetsOf } from './layout-preserving-edits.js'
import type { ScopeSource } from './query-scope.js'
import {
  type Alignment,
  abbreviateSql,
  recordDifference,
  type ScopePair,
  type TextReplacement,
} from './snippet-alignment.js'
import type { SourcePair } from './source-pairing.js'
import { formatKeyword } from './sql-formatting-style.js'
import type { Term } from './sql-term.js'
import { readTerms } from './term-reader.js'

/** Finds outdated, missing and superfluous tables, and joins of another kind. */
export function compareSources(
  alignment: Alignment,
  place: ScopePair,
  pairs: readonly SourcePair[],
  ours: Select,
): void {
  for (const pair of pairs) {
    const part = inlinedSubqueryAt(place, pair.snippet.source.range)
    compareRelation(alignment, part?.place ?? place, pair, part?.select ?? ours)
    compareKind(alignment, pair)
    compareUsing(alignment, place, pair)
  }
  const paired = new Set(pairs.map((pair) => pair.expected))
  for (const [index, added] of place.expected.sources.entries()) {
    if (!paired.has(added)) addJoin(alignment, place, pairs, index, added)
  }
  const kept = new Set(pairs.map((pair) => pair.snippet))
  const parts = place.inlinedSubqueries ?? []
  const own = place.snippet.sources.filter((source) => !parts.some((part) => part.source === source))
  for (const extra of [...own, ...parts.flatMap((part) => part.place.snippet.sources)]) {
    if (!kept.has(extra)) removeSource(alignment, extra)
  }
}

function compareRelation(
  alignment: Alignment,
  place: ScopePair,
  { snippet, expected }: SourcePair,
  select: Select,
): void {
  if (snippet.query !== undefined && expected.query !== undefined) {
    alignment.pending.push({
      snippet: snippet.query,
      expected: expected.query,
      snippetScope: snippet.queryScope,
      expectedScope: expected.queryScope,
    })
    return
  }
  if (snippet.table !== undefined && snippet.table === expected.table) return
  if (readsCte(alignment, place, snippet, expected)) return
  const { start, end } = offsetsOf(alignment.snippet, snippet.source.relation)
  const before = alignment.snippet.text.slice(start, end)
  const after = relationText(alignment, expected)
  if (before.toLowerCase() === after.toLowerCase()) return
  const unnamed = snippet.source.alias === undefined
  const alias =
    unnamed && expected.table === undefined
      ? ` ${formatKeyword(alignment.style, 'AS')} ${expected.written}`
      : ''
  const changes = [{ start, end, text: after + alias }]
  if (unnamed) changes.push(...requalified(alignment, place, snippet, select, expected.written))
  recordDifference(
    alignment,
    'from',
    changes,
    `reads ${abbreviateSql(after)} instead of ${abbreviateSql(before)}`,
    `${abbreviateSql(before)} should be ${abbreviateSql(after)}`,
  )
}

/**
 * Reports whether a name that is no longer a table refers to one of the snippet's CTEs, as the expected query
 * reads a sub-query.
 */
function readsCte(
  alignment: Alignment,
  place: ScopePair,
  snippet: ScopeSource,
  expected: ScopeSource,
): boolean {
  const { query, table } = snippet
  if (expected.query === undefined || query !== undefined || table === undefined) return false
  const [name, cte] =
    [...place.snippet.ctes].sort(([a], [b]) => distance(a, table) - distance(b, table))[0] ?? []
  if (name === undefined || cte === undefined) return false
  alignment.pending.push({
    snippet: cte.query,
    expected: expected.query,
    snippetScope: cte.scope,
    expectedScope: expected.queryScope,
  })
  const { start, end } = offsetsOf(alignment.snippet, snippet.source.relation)
  const change = { start, end, text: name }
  recordDifference(
    alignment,
    'from',
    [change],
    `reads ${name} instead of ${table}`,
    `${table} should be ${name}`,
  )
  return true
}

/** Replaces the old table's name in qualified columns by the new one's. */
function requalified(
  alignment: Alignment,
  place: ScopePair,
  source: ScopeSource,
  select: Select,
  written: string,
): TextReplacement[] {
  const last = source.source.relation
  const scope = { ...place.snippet, ownsBare: false }
  return readTerms(alignment.snippet, select.range, scope, []).flatMap((term: Term) => {
    const inFrom =
      term.start >= offsetsOf(alignment.snippet, last).start &&
      term.end <= offsetsOf(alignment.snippet, last).end
    if (term.qualifier !== source.id || inFrom) return []
    const dot = alignment.snippet.text.lastIndexOf('.', term.end)
    return [{ start: term.start, end: dot, text: written }]
  })
}

function compareKind(alignment: Alignment, { snippet, expected }: SourcePair): void {
  const ours = joinKindOf(alignment.snippet.tokens, snippet.source)
  const theirs = joinKindOf(alignment.expected.tokens, expected.source)
  if (ours === theirs || ours === undefined || theirs === undefined) return
  const { start, end } = offsetsOf(alignment.snippet, snippet.source.join)
  const text = formatKeyword(alignment.style, theirs === 'INNER' ? 'JOIN' : `${theirs} JOIN`)
  const name = snippet.written
  recordDifference(
    alignment,
    'join',
    [{ start, end, text }],
    `joins ${name} with ${text} instead of ${abbreviateSql(alignment.snippet.text.slice(start, end))}`,
    `the join of ${name} should be ${text}`,
  )
}

/**
 * Compares a USING with the expected USING or ON of other columns; an ON with conditions that USING cannot
 * express replaces it.
 */
function compareUsing(alignment: Alignment, place: ScopePair, { snippet, expected }: SourcePair): void {
  const { using } = snippet.source
  if (using === undefined) return
  const condition = joinConditionOf(alignment, place.expected, expected)
  const isInnerJoin = isInner(alignment.expected.tokens, expected.source)
  if (condition !== undefined && requiresOnClause(alignment, condition, snippet, isInnerJoin)) {
    const text = joinConditionText(alignment, place, scopesAt(place, snippet.source.range), expected)
    reportCondition(alignment, { from: using.from - 1, to: using.to }, text)
    return
  }
  const names = condition?.names ?? usingNames(alignment.expected, expected.source)
  if (names.length > 0) reportCondition(alignment, using, `(${names.join(', ')})`)
}

function reportCondition(alignment: Alignment, range: TokenRange, text: string): void {
  const { start, end } = offsetsOf(alignment.snippet, range)
  const before = alignment.snippet.text.slice(start, end)
  const bare = (sql: string): string => sql.toLowerCase().replaceAll(/[\s"`]/g, '')
  if (bare(before) === bare(text)) return
  const words = `the join on ${abbreviateSql(before)} should be on ${abbreviateSql(text)}`
  recordDifference(
    alignment,
    'join',
    [{ start, end, text }],
    `joins on ${abbreviateSql(text)} instead of ${abbreviateSql(before)}`,
    words,
  )
}

function removeSource(alignment: Alignment, extra: ScopeSource): void {
  const { join, range } = extra.source
  if (join.to === join.from) return
  const { start, end } = offsetsOf(alignment.snippet, range)
  const before = alignment.snippet.tokens[range.from - 1]?.end ?? start
  const sql = abbreviateSql(alignment.snippet.text.slice(start, end))
  recordDifference(alignment, 'join', [{ start: before, end, text: '' }], `drops ${sql}`, `${sql} was extra`)
}
