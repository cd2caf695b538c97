import { distance } from 'fastest-levenshtein'
import type { SqlToken } from '../../../../../sql/index.js'
import { foldedName, type TokenRange } from '../../model/token-ranges.js'
import { pairProjections, projectionsOf } from './projections.js'
import { type Scope, type ScopeSource, scopeOf, withCtes } from './query-scope.js'
import type { Alignment, ColumnUsage } from './snippet-alignment.js'
import { readTerms, type TokenizedQuery } from './term-reader.js'

export interface SourcePair {
  readonly snippet: ScopeSource
  readonly expected: ScopeSource
}

/**
 * Pairs sources of the expected SELECT with those of the snippet's: by table first, then by alias, then by
 * similarity. Counterparts share an id afterwards, and columns of derived tables get the snippet's names.
 */
export function pairSources(alignment: Alignment, snippet: Scope, expected: Scope): SourcePair[] {
  const candidates = snippet.sources.flatMap((ours, index) =>
    expected.sources.map((theirs, position) => ({
      ours,
      theirs,
      score: sourceSimilarity(ours, theirs),
      apart: Math.abs(index - position),
    })),
  )
  candidates.sort((a, b) => b.score - a.score || a.apart - b.apart)
  const pairs: SourcePair[] = []
  for (const { ours, theirs } of candidates) {
    if (pairs.some((pair) => pair.snippet === ours || pair.expected === theirs)) continue
    pairs.push({ snippet: ours, expected: theirs })
  }
  for (const pair of pairs) {
    pair.expected.id = pair.snippet.id
    pair.expected.renames = renamesOf(alignment, pair)
  }
  return pairs
}

function sourceSimilarity(ours: ScopeSource, theirs: ScopeSource): number {
  const sameAlias = ours.written.toLowerCase() === theirs.written.toLowerCase() ? 1 : 0
  if (ours.query !== undefined && theirs.query !== undefined) return 2 + sameAlias
  if (ours.table === undefined || theirs.table === undefined) return sameAlias / 2
  if (ours.table === theirs.table) return 4 + sameAlias
  const longest = Math.max(ours.table.length, theirs.table.length)
  return 2 * (1 - distance(ours.table, theirs.table) / longest) + sameAlias / 2
}

/** Maps columns of a derived table to the names that the snippet's author gave them. */
function renamesOf(alignment: Alignment, { snippet, expected }: SourcePair): Map<string, string> {
  const renames = new Map<string, string>()
  if (snippet.query === undefined || expected.query === undefined) return renames
  const ours = outputs(alignment, 's', alignment.snippet, snippet)
  const theirs = outputs(alignment, 'e', alignment.expected, expected)
  for (const [other, mine] of pairProjections(ours, theirs)) {
    const [name, partner] = [theirs[other]?.alias, ours[mine]]
    const called = partner?.aliasText ?? partner?.alias
    if (name === undefined || called === undefined || name === called.toLowerCase()) continue
    // A name that is not used outside is not the snippet's name for the column, but the fault itself.
    if (isNamedOutside(alignment.snippet.tokens, snippet.query.range, called)) renames.set(name, called)
  }
  return renames
}

function isNamedOutside(tokens: readonly SqlToken[], range: TokenRange, name: string): boolean {
  return tokens.some(
    (token, index) => (index < range.from || index >= range.to) && foldedName(token) === name.toLowerCase(),
  )
}

function outputs(
  alignment: Alignment,
  name: 's' | 'e',
  side: TokenizedQuery,
  source: ScopeSource,
): ReturnType<typeof projectionsOf> {
  const arm = source.query?.arms[0]
  if (source.query === undefined || arm === undefined) return []
  const scope = scopeOf(name, side.tokens, arm.sources, withCtes(source.queryScope, source.query))
  // Qualifiers are not comparable yet: the sources inside are not paired.
  return projectionsOf(alignment, side, scope, arm.clauses.get('select')).map((projection) => ({
    ...projection,
    terms: projection.terms.map((term) => ({ ...term, qualifier: undefined })),
  }))
}

/** Returns how columns are qualified in the given range of the snippet. */
export function columnUsage(alignment: Alignment, scope: Scope, range: TokenRange): ColumnUsage {
  const byColumn = new Map<string, Set<string>>()
  let [qualified, bare] = [0, 0]
  for (const term of readTerms(alignment.snippet, range, scope, [])) {
    if (term.kind !== 'name') continue
    if (term.qualifier === undefined) {
      bare += 1
      continue
    }
    qualified += 1
    const ids = byColumn.get(term.key) ?? new Set()
    byColumn.set(term.key, ids.add(term.qualifier))
  }
  return { qualified, bare, byColumn }
}
