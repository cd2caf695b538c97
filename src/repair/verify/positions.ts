import type { SqlToken } from '../../sql/tokens.js'

/** The 1 of `GROUP BY 1` and the 2 of `ORDER BY 1, 2 DESC`: columns, and no values. */
export function isPosition(tokens: readonly SqlToken[], index: number): boolean {
  const ends = /^(?:,|\)|;|ASC|DESC|NULLS|HAVING|ORDER|LIMIT|QUALIFY|UNION)$/
  const next = tokens[index + 1]
  if (tokens[index]?.kind !== 'number' || (next !== undefined && !ends.test(next.value))) return false
  let at = index - 1
  while (/^(?:,|\d+|ASC|DESC|NULLS|FIRST|LAST)$/.test(tokens[at]?.value ?? '')) at -= 1
  return tokens[at]?.value === 'BY' && /^(?:GROUP|ORDER)$/.test(tokens[at - 1]?.value ?? '')
}
