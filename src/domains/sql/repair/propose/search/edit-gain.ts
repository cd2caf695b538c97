import type { SqlToken } from '../../../../../sql/index.js'
import { tokenKey } from '../../model/question-values.js'
import { sqlKeywords } from '../rules/term-reader.js'
import type { QueryText } from './query-scopes.js'
import type { TextEdit } from './text-edit.js'

/**
 * Returns how much nearer an edit brings an entry to the expected queries: names and literals that they have and the entry lacks, and
 * the other way round. Layout, aliases and the order of clauses are no distance.
 */
export function gainOf(
  entry: QueryText,
  expected: readonly QueryText[],
  tokenize: (text: string) => readonly SqlToken[],
): (edit: TextEdit) => number {
  const [first, ...others] = expected.map(({ tokens }) => countsOf(tokens))
  const wanted = new Map(
    [...(first ?? [])].map(([key, count]) => [
      key,
      Math.min(count, ...others.map((each) => each.get(key) ?? 0)),
    ]),
  )
  const own = countsOf(entry.tokens)
  const known = new Map<string, number>()
  return (edit) => {
    const key = JSON.stringify(edit.replacements)
    const before = known.get(key)
    if (before !== undefined) return before
    const change = new Map<string, number>()
    for (const { start, end, text } of edit.replacements) {
      const removed = entry.tokens.filter((token) => token.start >= start && token.end <= end)
      for (const [name, count] of countsOf(removed)) change.set(name, (change.get(name) ?? 0) - count)
      for (const [name, count] of countsOf(tokenize(text))) change.set(name, (change.get(name) ?? 0) + count)
    }
    let gain = 0
    for (const [name, by] of change) {
      const distance = (wanted.get(name) ?? 0) - (own.get(name) ?? 0)
      gain += Math.abs(distance) - Math.abs(distance - by)
    }
    known.set(key, gain)
    return gain
  }
}

/** Counts the names and literals of a text; the names of relations beside a column are none. */
function countsOf(tokens: readonly SqlToken[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [at, token] of tokens.entries()) {
    if (token.kind === 'symbol' || tokens[at + 1]?.text === '.') continue
    if (token.kind === 'word' && sqlKeywords.has(token.value)) continue
    if (tokens[at - 1]?.kind === 'word' && tokens[at - 1]?.value === 'AS') continue
    const key = tokenKey(token)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}
