import { changedText, inserted, type TextChange } from '../../text/text-changes.js'
import type { SqlToken } from '../tokens.js'

const pivots: ReadonlySet<string> = new Set(['PIVOT', 'UNPIVOT'])

/** Whether the text may have a table with an alias and two pivots, which the library does not read. */
export function mayStackPivots(sql: string): boolean {
  return /\bpivot\b[\s\S]*\bpivot\b/iu.test(sql.replace(/\bunpivot\b/giu, 'pivot'))
}

/** `t AS t PIVOT (…) PIVOT (…)` as `(t AS t PIVOT (…)) PIVOT (…)`, which says the same. */
export function parenthesizeStackedPivots(sql: string, tokens: readonly SqlToken[]): string {
  const edits: TextChange[] = []
  for (let at = 0; at < tokens.length; at++) {
    if (!isPivot(tokens, at) || isPivot(tokens, openOf(tokens, at - 1) - 1)) continue
    const [first, second] = [closeOf(tokens, at + 1), tableStart(tokens, at - 1)]
    const start = second === undefined ? undefined : tokens[second]
    const end = tokens[first]
    if (start === undefined || end === undefined || !isPivot(tokens, first + 1)) continue
    edits.push(inserted(start.start, '('), inserted(end.end, ')'))
  }
  return changedText(sql, edits)
}

function isPivot(tokens: readonly SqlToken[], at: number): boolean {
  return pivots.has(tokens[at]?.value ?? '') && tokens[at]?.kind === 'word' && tokens[at + 1]?.text === '('
}

/** Index of the bracket that closes the one at `open`. */
function closeOf(tokens: readonly SqlToken[], open: number): number {
  let depth = 0
  for (let at = open; at < tokens.length; at++) {
    if (tokens[at]?.text === '(') depth++
    if (tokens[at]?.text === ')' && --depth === 0) return at
  }
  return tokens.length
}

/** Index of the bracket that the one at `close` closes; of anything else the index itself. */
function openOf(tokens: readonly SqlToken[], close: number): number {
  if (tokens[close]?.text !== ')') return close
  let depth = 0
  for (let at = close; at >= 0; at--) {
    if (tokens[at]?.text === ')') depth++
    if (tokens[at]?.text === '(' && --depth === 0) return at
  }
  return 0
}

/** Where the table that ends at `end` begins: `a.b AS t`, `(SELECT …) t`. */
function tableStart(tokens: readonly SqlToken[], end: number): number | undefined {
  let at = end
  if (!isName(tokens[at])) return undefined
  at--
  if (tokens[at]?.value === 'AS') at--
  if (tokens[at]?.text === ')') return openOf(tokens, at)
  if (!isName(tokens[at])) return undefined
  while (tokens[at - 1]?.text === '.' && isName(tokens[at - 2])) at -= 2
  return at
}

function isName(token: SqlToken | undefined): boolean {
  return token?.kind === 'word' || token?.kind === 'quoted'
}
