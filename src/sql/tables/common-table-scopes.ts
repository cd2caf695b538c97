import type { SqlToken } from '../tokens.js'

/** Returns, for each opening parenthesis, the index of its closing one. */
export function groupEnds(tokens: readonly SqlToken[]): ReadonlyMap<number, number> {
  const ends = new Map<number, number>()
  const open: number[] = []
  for (const [at, { text }] of tokens.entries()) {
    if (text === '(') open.push(at)
    const start = text === ')' ? open.pop() : undefined
    if (start !== undefined) ends.set(start, at)
  }
  return ends
}

interface Scope {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** Returns a function that tells whether a plain name at a token means a table that a WITH clause defines. */
export function commonTableScopes(
  tokens: readonly SqlToken[],
  ends: ReadonlyMap<number, number>,
): (name: string, at: number) => boolean {
  const scopes: Scope[] = []
  for (const [at, { kind, value }] of tokens.entries()) {
    const before = tokens[at - 1]
    const isFirst = before === undefined || before.text === '('
    if (kind !== 'word' || value !== 'WITH' || !isFirst) continue
    const end = before === undefined ? tokens.length : (ends.get(at - 1) ?? tokens.length)
    scopes.push(...scopesOf(tokens, ends, at + 1, end))
  }
  return (name, at) =>
    scopes.some((scope) => scope.name === name.toLowerCase() && scope.from <= at && at < scope.to)
}

/** Reads `[RECURSIVE] name [(columns)] AS [[NOT] MATERIALIZED] (query), …`. */
function scopesOf(
  tokens: readonly SqlToken[],
  ends: ReadonlyMap<number, number>,
  first: number,
  to: number,
): Scope[] {
  const scopes: Scope[] = []
  const isRecursive = tokens[first]?.value === 'RECURSIVE'
  let at = isRecursive ? first + 1 : first
  for (;;) {
    const name = tokens[at]
    if (name === undefined) return scopes
    let body = at + 1
    // Its list of columns is the first group, where there is one.
    if (tokens[body]?.text === '(') body = (ends.get(body) ?? to) + 1
    while (body < to && tokens[body]?.text !== '(') body++
    const end = ends.get(body)
    if (end === undefined) return scopes
    const written = name.kind === 'word' ? name.text : name.value
    scopes.push({ name: written.toLowerCase(), from: isRecursive ? at : end, to })
    if (tokens[end + 1]?.text !== ',') return scopes
    at = end + 2
  }
}
