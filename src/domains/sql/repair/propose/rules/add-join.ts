import { foldedName, isWord } from '../../model/token-ranges.js'
import { joinWithAnd as allOf } from './conjuncts.js'
import { countReads, scopesAt } from './inline-views.js'
import { joinConditionOf, usingAsEquations } from './join-using.js'
import { offsetsOf, textOf } from './layout-preserving-edits.js'
import { type ScopeSource, scopeAt } from './query-scope.js'
import { type Alignment, abbreviateSql, recordDifference, type ScopePair } from './snippet-alignment.js'
import type { SourcePair } from './source-pairing.js'
import { formatKeyword, indentAt, isAtLineStart, lineEndAfter } from './sql-formatting-style.js'
import { writeQuery, writeTerms } from './sql-writer.js'
import { readTerms } from './term-reader.js'

/**
 * Joins a source that only the expected query has, after the counterpart of the one that precedes it there.
 */
export function addJoin(
  alignment: Alignment,
  place: ScopePair,
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
  const here = scopesAt(place, anchor.source.range)
  const [first, ...joined] = here.snippet.sources
  const { join } = added.source
  const words = join.to > join.from ? textOf(expected, join) : ','
  const { start, end } = offsetsOf(snippet, anchor.source.range)
  const relation = relationWithAlias(alignment, here, added)
  if (words === ',' && joined.every(({ source }) => textOf(snippet, source.join) === ',')) {
    const changes = [{ start: end, end, text: `, ${relation}` }]
    recordDifference(
      alignment,
      'join',
      changes,
      `adds ${abbreviateSql(relation)}`,
      `${abbreviateSql(relation)} was missing`,
    )
    return
  }
  const condition = joinConditionFor(alignment, place, here, added)
  const sql = `${formatKeyword(style, words === ',' ? 'CROSS JOIN' : words)} ${relation}${condition}`
  const opening = snippet.tokens[(first?.source.range.from ?? 0) - 1]?.start ?? 0
  const ownLine =
    joined.length > 0
      ? joined.some(({ source }) => isAtLineStart(snippet.text, offsetsOf(snippet, source.range).start))
      : isAtLineStart(snippet.text, opening) && lineEndAfter(snippet.text, end) !== undefined
  const at = lineEndAfter(snippet.text, end) ?? end
  const text = ownLine || at > end ? `${style.lineBreak}${indentAt(snippet.text, start)}${sql}` : ` ${sql}`
  recordDifference(
    alignment,
    'join',
    [{ start: at, end: at, text }],
    `adds ${abbreviateSql(sql)}`,
    `${abbreviateSql(sql)} was missing`,
  )
}

/** Returns the SQL of the joined source with its alias. */
function relationWithAlias(alignment: Alignment, here: ScopePair, added: ScopeSource): string {
  const cte = findMatchingCte(alignment, here, added)
  const relation = cte ?? relationText(alignment, added)
  const isNamed = added.source.alias === undefined && (added.table ?? cte?.toLowerCase()) === added.names[0]
  if (isNamed) return relation
  const as = writesAs(alignment, here) ? ` ${formatKeyword(alignment.style, 'AS')}` : ''
  return `${relation}${as} ${added.written}`
}

/** Reports whether the snippet's author writes AS before table aliases. */
function writesAs({ snippet: { tokens } }: Alignment, { snippet: { sources } }: ScopePair): boolean {
  return sources.some(({ source: { alias } }) => alias !== undefined && isWord(tokens, alias.from - 1, 'AS'))
}

/** Returns the join condition in the style of the snippet's other joins, if that is equivalent. */
function joinConditionFor(
  alignment: Alignment,
  place: ScopePair,
  here: ScopePair,
  added: ScopeSource,
): string {
  const { style, expected, choose } = alignment
  const joined = here.snippet.sources.slice(1)
  const [using, on] = [joined.some(({ source }) => source.using), joined.some(({ source }) => source.on)]
  const listed = (names: readonly string[]): string =>
    ` ${formatKeyword(style, 'USING')} (${names.join(', ')})`
  if (added.source.using !== undefined) {
    const equations = on && !using ? usingAsEquations(alignment, place, added) : []
    const isKnown = equations.length > 0 && equations.every(([left]) => left?.qualifier !== undefined)
    return isKnown
      ? ` ${formatKeyword(style, 'ON')} ${writeTerms(alignment, withQualifiedColumns(here), allOf(equations))}`
      : ` ${formatKeyword(style, 'USING')} ${textOf(expected, added.source.using)}`
  }
  const condition = joinConditionOf(alignment, place.expected, added)
  if (condition === undefined) return ''
  const isListable = condition.rest.items.length === 0
  // The snippet's only join would be the only example of the author's style.
  const key = `using:${added.source.range.from}`
  if (isListable && (using ? !on : !on && choose(key, 2) === 1)) return listed(condition.names)
  return ` ${joinConditionText(alignment, place, here, added)}`
}

/** Returns the ON condition of an expected source. */
export function joinConditionText(
  alignment: Alignment,
  place: ScopePair,
  here: ScopePair,
  { source }: ScopeSource,
): string {
  const { style, expected, values } = alignment
  if (source.on === undefined) return ''
  const terms = readTerms(expected, source.on.body, scopeAt(place.expected, source.range), values)
  return `${formatKeyword(style, 'ON')} ${writeTerms(alignment, withQualifiedColumns(here), terms)}`
}

function withQualifiedColumns(here: ScopePair): ScopePair {
  return { ...here, usage: { ...here.usage, joining: true, qualified: here.usage.qualified + 1 } }
}

/**
 * Returns the name of the snippet's CTE that an added sub-query corresponds to: the one of that name, or one
 * that nothing reads since the join was lost. Their bodies are compared.
 */
function findMatchingCte(
  { snippet, expected, pending, choose }: Alignment,
  place: ScopePair,
  added: ScopeSource,
): string | undefined {
  const { query, source } = added
  if (query === undefined) return undefined
  const called = foldedName(expected.tokens[source.relation.from])
  const [name, cte] =
    [...place.snippet.ctes].find(([each]) => each === called) ??
    [...place.snippet.ctes].findLast(([each]) => countReads(snippet.tokens, each) === 0) ??
    []
  if (name === undefined || cte === undefined || choose(`cte:${source.range.from}`, 2) !== 0) return undefined
  pending.push({
    snippet: cte.query,
    expected: query,
    snippetScope: cte.scope,
    expectedScope: added.queryScope,
  })
  return snippet.tokens.find((token) => foldedName(token) === name)?.text
}

/** Returns the relation that an expected source reads, as the snippet would write it. */
export function relationText(alignment: Alignment, source: ScopeSource): string {
  const { start, end } = offsetsOf(alignment.expected, source.source.relation)
  if (source.table !== undefined || source.query === undefined) return writeQuery(alignment, start, end)
  const body = offsetsOf(alignment.expected, source.query.range)
  return `(${writeQuery(alignment, body.start, body.end)})`
}
