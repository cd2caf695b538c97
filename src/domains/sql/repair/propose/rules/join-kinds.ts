import type { Source } from '../../model/sql-clauses.js'

/** Returns LEFT, RIGHT, FULL …; INNER for commas, CROSS and plain joins; undefined for the first source. */
export function joinKindOf(
  tokens: readonly { readonly text: string; readonly value: string }[],
  source: Source,
): string | undefined {
  const words = tokens.slice(source.join.from, source.join.to).map((token) => token.value)
  if (words.length === 0) return undefined
  return words.find((word) => nonInnerJoins.has(word)) ?? 'INNER'
}

const nonInnerJoins = new Set(['LEFT', 'RIGHT', 'FULL', 'SEMI', 'ANTI', 'ASOF'])

export function isInner(
  tokens: readonly { readonly text: string; readonly value: string }[],
  source: Source,
): boolean {
  const kind = joinKindOf(tokens, source)
  return kind === undefined || kind === 'INNER'
}
