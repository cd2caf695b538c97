import type { SqlToken } from '../../../../sql/index.js'

/**
 * Reports whether a number is not compared with anything: the position of a column, or a replacement for
 * NULL.
 */
export function isNonValueNumber(tokens: readonly SqlToken[], index: number): boolean {
  return isColumnPosition(tokens, index) || isNullReplacement(tokens, index)
}

/**
 * Reports whether the number is a column position: the 1 of `GROUP BY 1` and the 2 of `ORDER BY 1, 2 DESC`.
 */
function isColumnPosition(tokens: readonly SqlToken[], index: number): boolean {
  const ends = /^(?:,|\)|;|ASC|DESC|NULLS|HAVING|ORDER|LIMIT|QUALIFY|UNION)$/
  const next = tokens[index + 1]
  if (tokens[index]?.kind !== 'number' || (next !== undefined && !ends.test(next.value))) return false
  let at = index - 1
  while (/^(?:,|\d+|ASC|DESC|NULLS|FIRST|LAST)$/.test(tokens[at]?.value ?? '')) at -= 1
  return tokens[at]?.value === 'BY' && /^(?:GROUP|ORDER)$/.test(tokens[at - 1]?.value ?? '')
}

/**
 * Reports whether the number is a 0 in place of NULL: in `ELSE 0 END`, `iif(x, y, 0)` and `coalesce(x, 0)`.
 * It does not depend on the question.
 */
function isNullReplacement(tokens: readonly SqlToken[], index: number): boolean {
  const { kind, value } = tokens[index] ?? {}
  if (kind !== 'number' || Number(value) !== 0) return false
  const valueAt = (at: number): string => tokens[at]?.value.toUpperCase() ?? ''
  if (valueAt(index - 1) === 'ELSE') return valueAt(index + 1) === 'END'
  if (valueAt(index - 1) !== ',' || valueAt(index + 1) !== ')') return false
  let depth = 1
  let open = index - 1
  while (open >= 0 && depth > 0) {
    open -= 1
    if (valueAt(open) === ')') depth++
    else if (valueAt(open) === '(') depth--
  }
  return /^(?:COALESCE|IFNULL|NVL|IIF|IF)$/.test(valueAt(open - 1))
}
