import { diffArrays } from 'diff'
import { splitLines } from '../../../../snapshot/line-endings.js'
import type { SqlToken } from '../../../../sql/index.js'
import { tokenKey } from './question-values.js'

/** Counts tokens removed plus tokens added. */
export function countChangedTokens(before: readonly SqlToken[], after: readonly SqlToken[]): number {
  return countChanged(comparableNames(before), comparableNames(after))
}

/** Counts lines removed plus lines added. */
export function countChangedLines(before: string, after: string): number {
  return countChanged(splitLines(before), splitLines(after))
}

/** Returns token keys, a dotted name as one: qualifying a column as its author does is no bigger change. */
function comparableNames(tokens: readonly SqlToken[]): string[] {
  const keys: string[] = []
  for (const [index, token] of tokens.entries()) {
    const joins = token.text === '.' || tokens[index - 1]?.text === '.'
    keys.push(joins ? `${keys.pop() ?? ''}${tokenKey(token)}` : tokenKey(token))
  }
  return keys
}

function countChanged(before: readonly string[], after: readonly string[]): number {
  return diffArrays([...before], [...after]).reduce(
    (count, part) => count + (part.added || part.removed ? part.value.length : 0),
    0,
  )
}
