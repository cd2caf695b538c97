import { distance } from 'fastest-levenshtein'
import { type Alignment, brief, type Change, type Place, report } from './alignment.js'
import type { Select, Source } from './clauses.js'
import { kindOf } from './join-kinds.js'
import { offsets, textOf } from './layout.js'
import type { SourcePair } from './pairing.js'
import { nameOf } from './scan.js'
import { type ScopeSource, scopeAt } from './scope.js'
import { indentAt, keyword, restOfLine, startsLine } from './style.js'
import type { Term } from './term.js'
import { readTerms } from './terms.js'
import { partAt, placeAt, readsOf } from './views.js'
import { writeQuery, writeTerms } from './write.js'

/** Finds tables that are stale, missing or too many, and joins of another kind. */
export function compareSources(
  alignment: Alignment,
  place: Place,
  pairs: readonly SourcePair[],
  ours: Select,
): void {
  for (const pair of pairs) {
    const part = partAt(place, pair.snippet.source.range)
    compareRelation(alignment, part?.place ?? place, pair, part?.select ?? ours)
    compareKind(alignment, pair)
    compareUsing(alignment, pair)
  }
  const paired = new Set(pairs.map((pair) => pair.expected))
  for (const [index, added] of place.expected.sources.entries()) {
    if (!paired.has(added)) addSource(alignment, place, pairs, index, added)
  }
  const kept = new Set(pairs.map((pair) => pair.snippet))
  const parts = place.parts ?? []
  const own = place.snippet.sources.filter((source) => !parts.some((part) => part.source === source))
  for (const extra of [...own, ...parts.flatMap((part) => part.place.snippet.sources)]) {
    if (!kept.has(extra)) removeSource(alignment, extra)
  }
}

function compareRelation(
  alignment: Alignment,
  place: Place,
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
  const { start, end } = offsets(alignment.snippet, snippet.source.relation)
  const before = alignment.snippet.text.slice(start, end)
  const after = relationText(alignment, expected)
  if (before.toLowerCase() === after.toLowerCase()) return
  const unnamed = snippet.source.alias === undefined
  const alias =
    unnamed && expected.table === undefined ? ` ${keyword(alignment.style, 'AS')} ${expected.written}` : ''
  const changes = [{ start, end, text: after + alias }]
  if (unnamed) changes.push(...requalified(alignment, place, snippet, select, expected.written))
  report(
    alignment,
    'from',
    changes,
    `reads ${brief(after)} instead of ${brief(before)}`,
    `${brief(before)} should be ${brief(after)}`,
  )
}

/** A name that is no table any more, where the expected query reads a sub-query: one of the snippet's CTEs is meant. */
function readsCte(alignment: Alignment, place: Place, snippet: ScopeSource, expected: ScopeSource): boolean {
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
  const { start, end } = offsets(alignment.snippet, snippet.source.relation)
  const change = { start, end, text: name }
  report(alignment, 'from', [change], `reads ${name} instead of ${table}`, `${table} should be ${name}`)
  return true
}

function relationText(alignment: Alignment, source: ScopeSource): string {
  const { start, end } = offsets(alignment.expected, source.source.relation)
  if (source.table !== undefined || source.query === undefined) return writeQuery(alignment, start, end)
  const body = offsets(alignment.expected, source.query.range)
  return `(${writeQuery(alignment, body.start, body.end)})`
}

/** Columns that are written with the old table's name get the new one's. */
function requalified(
  alignment: Alignment,
  place: Place,
  source: ScopeSource,
  select: Select,
  written: string,
): Change[] {
  const last = source.source.relation
  const scope = { ...place.snippet, ownsBare: false }
  return readTerms(alignment.snippet, select.range, scope, []).flatMap((term: Term) => {
    const inFrom =
      term.start >= offsets(alignment.snippet, last).start && term.end <= offsets(alignment.snippet, last).end
    if (term.qualifier !== source.id || inFrom) return []
    const dot = alignment.snippet.text.lastIndexOf('.', term.end)
    return [{ start: term.start, end: dot, text: written }]
  })
}

function compareKind(alignment: Alignment, { snippet, expected }: SourcePair): void {
  const ours = kindOf(alignment.snippet.tokens, snippet.source)
  const theirs = kindOf(alignment.expected.tokens, expected.source)
  if (ours === theirs || ours === undefined || theirs === undefined) return
  const { start, end } = offsets(alignment.snippet, snippet.source.join)
  const text = keyword(alignment.style, theirs === 'INNER' ? 'JOIN' : `${theirs} JOIN`)
  const name = snippet.written
  report(
    alignment,
    'join',
    [{ start, end, text }],
    `joins ${name} with ${text} instead of ${brief(alignment.snippet.text.slice(start, end))}`,
    `the join of ${name} should be ${text}`,
  )
}

/** USING with other columns; or an ON where the expected query has USING, and the other way round. */
function compareUsing(alignment: Alignment, { snippet, expected }: SourcePair): void {
  const { using } = snippet.source
  if (using === undefined) return
  const theirs = usingColumns(alignment, expected.source)
  if (theirs === undefined) return
  const { start, end } = offsets(alignment.snippet, using)
  const text = `(${theirs.join(', ')})`
  const before = alignment.snippet.text.slice(start, end)
  const bare = (sql: string): string => sql.toLowerCase().replaceAll(/[\s"`]/g, '')
  if (bare(before) === bare(text)) return
  report(
    alignment,
    'join',
    [{ start, end, text }],
    `joins on ${text} instead of ${before}`,
    `the join on ${before} should be on ${text}`,
  )
}

/** Columns of USING, or of an ON that equates columns of one name. */
function usingColumns(alignment: Alignment, source: Source): string[] | undefined {
  const { tokens } = alignment.expected
  if (source.using !== undefined) {
    const names = tokens.slice(source.using.from, source.using.to).filter((token) => token.kind !== 'symbol')
    return names.map((token) => token.text)
  }
  if (source.on === undefined) return undefined
  const names: string[] = []
  for (const item of source.on.items) {
    const sql = textOf(alignment.expected, item)
    const match = /^[\w".`]*\.["`]?(\w+)["`]?\s*=\s*[\w".`]*\.["`]?(\w+)["`]?$/.exec(sql)
    const [, left, right] = match ?? []
    if (left === undefined || left.toLowerCase() !== right?.toLowerCase()) return undefined
    names.push(left)
  }
  return names
}

function addSource(
  alignment: Alignment,
  place: Place,
  pairs: readonly SourcePair[],
  index: number,
  added: ScopeSource,
): void {
  const previous = place.expected.sources
    .slice(0, index)
    .findLast((source) => pairs.some((pair) => pair.expected === source))
  const anchor = pairs.find((pair) => pair.expected === previous)?.snippet ?? place.snippet.sources.at(-1)
  if (anchor === undefined) return
  const { style, expected, snippet } = alignment
  const here = placeAt(place, anchor.source.range)
  const [first, ...joined] = here.snippet.sources
  const { join } = added.source
  const words = join.to > join.from ? textOf(expected, join) : ','
  const { start, end } = offsets(snippet, anchor.source.range)
  const relation = addedRelation(alignment, here, added)
  if (words === ',' && joined.every(({ source }) => textOf(snippet, source.join) === ',')) {
    const changes = [{ start: end, end, text: `, ${relation}` }]
    report(alignment, 'join', changes, `adds ${brief(relation)}`, `${brief(relation)} was missing`)
    return
  }
  const condition = addedCondition(alignment, place, here, added)
  const sql = `${keyword(style, words === ',' ? 'CROSS JOIN' : words)} ${relation}${condition}`
  const opening = snippet.tokens[(first?.source.range.from ?? 0) - 1]?.start ?? 0
  const ownLine =
    joined.length > 0
      ? joined.some(({ source }) => startsLine(snippet.text, offsets(snippet, source.range).start))
      : startsLine(snippet.text, opening) && restOfLine(snippet.text, end) !== undefined
  const at = restOfLine(snippet.text, end) ?? end
  const text = ownLine || at > end ? `${style.lineBreak}${indentAt(snippet.text, start)}${sql}` : ` ${sql}`
  report(alignment, 'join', [{ start: at, end: at, text }], `adds ${brief(sql)}`, `${brief(sql)} was missing`)
}

/** What is joined, with its name. */
function addedRelation(alignment: Alignment, here: Place, added: ScopeSource): string {
  const cte = ownCte(alignment, here, added)
  const isNamed = added.source.alias === undefined && (added.table ?? cte?.toLowerCase()) === added.names[0]
  return `${cte ?? relationText(alignment, added)}${isNamed ? '' : ` ${added.written}`}`
}

function addedCondition(alignment: Alignment, place: Place, here: Place, { source }: ScopeSource): string {
  const { style, expected, values } = alignment
  const { on, using, range } = source
  if (using !== undefined) return ` ${keyword(style, 'USING')} ${textOf(expected, using)}`
  if (on === undefined) return ''
  // A column without its table may be one of both.
  const qualified = { ...here, usage: { ...here.usage, qualified: here.usage.qualified + 1 } }
  const terms = readTerms(expected, on.body, scopeAt(place.expected, range), values)
  return ` ${keyword(style, 'ON')} ${writeTerms(alignment, qualified, terms)}`
}

/**
 * The name of the snippet's CTE that an added sub-query is: the one of that name, or one that nothing reads since the
 * join was lost. Their bodies are compared.
 */
function ownCte(
  { snippet, expected, pending, pick }: Alignment,
  place: Place,
  added: ScopeSource,
): string | undefined {
  const { query, source } = added
  if (query === undefined) return undefined
  const called = nameOf(expected.tokens[source.relation.from])
  const [name, cte] =
    [...place.snippet.ctes].find(([each]) => each === called) ??
    [...place.snippet.ctes].findLast(([each]) => readsOf(snippet.tokens, each) === 0) ??
    []
  if (name === undefined || cte === undefined || pick(`cte:${source.range.from}`, 2) !== 0) return undefined
  pending.push({
    snippet: cte.query,
    expected: query,
    snippetScope: cte.scope,
    expectedScope: added.queryScope,
  })
  return snippet.tokens.find((token) => nameOf(token) === name)?.text
}

function removeSource(alignment: Alignment, extra: ScopeSource): void {
  const { join, range } = extra.source
  if (join.to === join.from) return
  const { start, end } = offsets(alignment.snippet, range)
  const before = alignment.snippet.tokens[range.from - 1]?.end ?? start
  const sql = brief(alignment.snippet.text.slice(start, end))
  report(alignment, 'join', [{ start: before, end, text: '' }], `drops ${sql}`, `${sql} was too much`)
}
