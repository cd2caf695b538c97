import { type Alignment, brief, type Place, report } from './alignment.js'
import { joined as allOf } from './conjuncts.js'
import { offsets, textOf } from './layout.js'
import type { SourcePair } from './pairing.js'
import { isWord, nameOf } from './scan.js'
import { type ScopeSource, scopeAt } from './scope.js'
import { indentAt, keyword, restOfLine, startsLine } from './style.js'
import { readTerms } from './terms.js'
import { conditionOf, equationsOf } from './using.js'
import { placeAt, readsOf } from './views.js'
import { writeQuery, writeTerms } from './write.js'

/** Joins a source that only the expected query has, behind the partner of the one in front of it there. */
export function addSource(
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
  const relation = cte ?? relationText(alignment, added)
  const isNamed = added.source.alias === undefined && (added.table ?? cte?.toLowerCase()) === added.names[0]
  if (isNamed) return relation
  const as = writesAs(alignment, here) ? ` ${keyword(alignment.style, 'AS')}` : ''
  return `${relation}${as} ${added.written}`
}

/** Whether the snippet's author puts AS in front of the names of tables. */
function writesAs({ snippet: { tokens } }: Alignment, { snippet: { sources } }: Place): boolean {
  return sources.some(({ source: { alias } }) => alias !== undefined && isWord(tokens, alias.from - 1, 'AS'))
}

/** As the other joins of the snippet have it, where that says the same. */
function addedCondition(alignment: Alignment, place: Place, here: Place, added: ScopeSource): string {
  const { style, expected, pick } = alignment
  const joined = here.snippet.sources.slice(1)
  const [using, on] = [joined.some(({ source }) => source.using), joined.some(({ source }) => source.on)]
  const listed = (names: readonly string[]): string => ` ${keyword(style, 'USING')} (${names.join(', ')})`
  if (added.source.using !== undefined) {
    const equations = on && !using ? equationsOf(alignment, place, added) : []
    const isKnown = equations.length > 0 && equations.every(([left]) => left?.qualifier !== undefined)
    return isKnown
      ? ` ${keyword(style, 'ON')} ${writeTerms(alignment, qualifying(here), allOf(equations))}`
      : ` ${keyword(style, 'USING')} ${textOf(expected, added.source.using)}`
  }
  const condition = conditionOf(alignment, place.expected, added)
  if (condition === undefined) return ''
  const isListable = condition.rest.items.length === 0
  // Of its only join, nothing shows how the author wrote it.
  const key = `using:${added.source.range.from}`
  if (isListable && (using ? !on : !on && pick(key, 2) === 1)) return listed(condition.names)
  return ` ${onText(alignment, place, here, added)}`
}

/** The ON of an expected source. */
export function onText(alignment: Alignment, place: Place, here: Place, { source }: ScopeSource): string {
  const { style, expected, values } = alignment
  if (source.on === undefined) return ''
  const terms = readTerms(expected, source.on.body, scopeAt(place.expected, source.range), values)
  return `${keyword(style, 'ON')} ${writeTerms(alignment, qualifying(here), terms)}`
}

function qualifying(here: Place): Place {
  return { ...here, usage: { ...here.usage, joining: true, qualified: here.usage.qualified + 1 } }
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

/** What an expected source reads, as the snippet would write it. */
export function relationText(alignment: Alignment, source: ScopeSource): string {
  const { start, end } = offsets(alignment.expected, source.source.relation)
  if (source.table !== undefined || source.query === undefined) return writeQuery(alignment, start, end)
  const body = offsets(alignment.expected, source.query.range)
  return `(${writeQuery(alignment, body.start, body.end)})`
}
