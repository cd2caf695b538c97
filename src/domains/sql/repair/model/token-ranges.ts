import type { SqlToken } from '../../../../sql/index.js'

/** Token indexes, end exclusive. */
export interface TokenRange {
  readonly from: number
  readonly to: number
}

/** Reports whether the token at `index` is one of these keywords. */
export function isWord(tokens: readonly SqlToken[], index: number, ...words: readonly string[]): boolean {
  const token = tokens[index]
  return token?.kind === 'word' && words.includes(token.text.toUpperCase())
}

/** Returns the index after the bracket that closes the one at `open`. */
export function afterBracket(tokens: readonly SqlToken[], open: number): number {
  let depth = 0
  for (let index = open; index < tokens.length; index += 1) {
    depth += depthStep(tokens, index)
    if (depth === 0) return index + 1
  }
  return tokens.length
}

/** Returns the indexes in `range` outside brackets and CASE … END. */
export function topLevelIndexes(tokens: readonly SqlToken[], range: TokenRange): number[] {
  const found: number[] = []
  let depth = 0
  for (let index = range.from; index < range.to; index += 1) {
    const step = depthStep(tokens, index)
    if (depth === 0 && step <= 0) found.push(index)
    depth += step
  }
  return found
}

/** Returns the range without the brackets that enclose all of it. */
export function withoutBrackets(tokens: readonly SqlToken[], range: TokenRange): TokenRange {
  let { from, to } = range
  while (to - from > 2 && tokens[from]?.text === '(' && afterBracket(tokens, from) === to) {
    from += 1
    to -= 1
  }
  return { from, to }
}

/** Reports whether an OR outside brackets makes the range bind weaker than AND. */
export function isDisjunction(tokens: readonly SqlToken[], range: TokenRange): boolean {
  return topLevelIndexes(tokens, range).some((index) => isWord(tokens, index, 'OR'))
}

/** Returns the conjuncts of a condition; bracketed conjunctions are split, disjunctions stay whole. */
export function splitConjuncts(tokens: readonly SqlToken[], range: TokenRange): TokenRange[] {
  if (isDisjunction(tokens, range)) return [range]
  let betweens = 0
  const cuts: number[] = []
  for (const index of topLevelIndexes(tokens, range)) {
    if (isWord(tokens, index, 'BETWEEN')) betweens += 1
    if (!isWord(tokens, index, 'AND')) continue
    if (betweens > 0) betweens -= 1
    else cuts.push(index)
  }
  const parts = splitAt(range, cuts)
  return parts.flatMap((part) => {
    const inner = withoutBrackets(tokens, part)
    const opened = inner.from > part.from ? splitConjuncts(tokens, inner) : []
    return opened.length > 1 ? opened : [part]
  })
}

/** Returns the operands of ANDs and ORs, regardless of precedence; brackets around the whole are removed. */
export function splitOperands(tokens: readonly SqlToken[], range: TokenRange): TokenRange[] {
  const inner = withoutBrackets(tokens, range)
  let betweens = 0
  const cuts = topLevelIndexes(tokens, inner).filter((index) => {
    if (isWord(tokens, index, 'BETWEEN')) betweens += 1
    const isBound = betweens > 0 && isWord(tokens, index, 'AND')
    if (isBound) betweens -= 1
    return !isBound && isWord(tokens, index, 'AND', 'OR')
  })
  return splitAt(inner, cuts)
}

/** Returns the outermost bracketed group that contains the range, or the range itself. */
export function outermostGroup(
  tokens: readonly SqlToken[],
  within: TokenRange,
  range: TokenRange,
): TokenRange {
  for (let index = within.from; index < range.from; index += 1) {
    if (tokens[index]?.text !== '(') continue
    const to = afterBracket(tokens, index)
    if (to >= range.to) return { from: index, to }
    index = to - 1
  }
  return range
}

/** Returns the members of a list, without the commas. */
export function splitList(tokens: readonly SqlToken[], range: TokenRange): TokenRange[] {
  const cuts = topLevelIndexes(tokens, range).filter((index) => tokens[index]?.text === ',')
  return splitAt(range, cuts)
}

function splitAt(range: TokenRange, cuts: readonly number[]): TokenRange[] {
  const bounds = [range.from - 1, ...cuts, range.to]
  return bounds
    .slice(1)
    .map((to, index) => ({ from: (bounds[index] ?? 0) + 1, to }))
    .filter(({ from, to }) => to > from)
}

function depthStep(tokens: readonly SqlToken[], index: number): number {
  const text = tokens[index]?.text
  if (text === '(' || text === '[' || isWord(tokens, index, 'CASE')) return 1
  if (text === ')' || text === ']' || isWord(tokens, index, 'END')) return -1
  return 0
}

/** Returns a name in the form in which names are compared: without quotes, in lower case. */
export function foldedName(token: SqlToken | undefined): string {
  return token?.value.toLowerCase() ?? ''
}

export function containsRange(outer: TokenRange, inner: TokenRange): boolean {
  return outer.from <= inner.from && inner.to <= outer.to
}
