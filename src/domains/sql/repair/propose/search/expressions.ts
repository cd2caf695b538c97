import type { SqlToken } from '../../../../../sql/index.js'
import { isWord, type TokenRange } from '../../model/token-ranges.js'
import { columnsIn } from './carry.js'
import type { QueryText, SelectScope } from './query-scopes.js'

const arithmetic = new Set(['+', '-', '*', '/', '%', '||'])

/** Words that a bracket follows and that call nothing. */
const noCalls = [
  ...[
    'IN',
    'AND',
    'OR',
    'NOT',
    'EXISTS',
    'FROM',
    'ON',
    'WHERE',
    'AS',
    'OVER',
    'FILTER',
    'USING',
    'BY',
    'SELECT',
  ],
  ...[
    'WHEN',
    'THEN',
    'ELSE',
    'JOIN',
    'VALUES',
    'ANY',
    'ALL',
    'SOME',
    'INTERVAL',
    'UNION',
    'HAVING',
    'CASE',
    'BETWEEN',
  ],
]

/** Reports whether a call begins at a token. */
export function isCallAt(tokens: readonly SqlToken[], at: number): boolean {
  return tokens[at]?.kind === 'word' && tokens[at + 1]?.text === '(' && !isWord(tokens, at, ...noCalls)
}

/** Returns the index of the bracket that closes the one at `open`. */
export function closingBracket(tokens: readonly SqlToken[], open: number): number {
  let depth = 0
  for (let at = open; at < tokens.length; at++) {
    if (tokens[at]?.text === '(') depth++
    else if (tokens[at]?.text === ')' && --depth === 0) return at
  }
  return tokens.length - 1
}

/** Returns the members of a list inside brackets. */
export function listMembers(tokens: readonly SqlToken[], { from, to }: TokenRange): TokenRange[] {
  const found: TokenRange[] = []
  let depth = 0
  let start = from
  for (let at = from; at <= to; at++) {
    const text = tokens[at]?.text
    if (at === to || (text === ',' && depth === 0)) {
      if (at > start) found.push({ from: start, to: at })
      start = at + 1
    } else if (text === '(') depth++
    else if (text === ')') depth--
  }
  return found
}

/**
 * Returns the expressions in a SELECT that can stand for one another: outputs, calls and what they are given, brackets, the
 * operands of arithmetic, and columns. Those of its subqueries belong to these.
 */
export function expressionsIn({ tokens }: QueryText, { select }: SelectScope): TokenRange[] {
  const items = select.clauses.get('select')?.items ?? []
  const found = items.map((item) => withoutAlias(tokens, item))
  const { from, to } = select.range
  for (let at = from; at < to; at++) {
    const isCall = isCallAt(tokens, at)
    const open = isCall ? at + 1 : at
    if (tokens[open]?.text !== '(' || isWord(tokens, open + 1, 'SELECT', 'WITH')) continue
    if (!isCall && tokens[at - 1]?.kind === 'word' && !isWord(tokens, at - 1, ...noCalls)) continue
    const end = closingBracket(tokens, open)
    found.push({ from: at, to: end + 1 })
    if (isCall)
      for (const member of listMembers(tokens, { from: open + 1, to: end }))
        found.push(
          isWord(tokens, member.from, 'DISTINCT') ? { from: member.from + 1, to: member.to } : member,
        )
    else found.push({ from: open + 1, to: end })
  }
  for (const { range } of columnsIn(tokens, select.range)) found.push(range)
  const distinct = new Map(
    found.filter((range) => range.to > range.from).map((range) => [`${range.from} ${range.to}`, range]),
  )
  return [...distinct.values()]
}

/** Reports whether a text has arithmetic outside brackets, so that it needs brackets beside other arithmetic. */
export function isArithmetic(tokens: readonly SqlToken[], { from, to }: TokenRange): boolean {
  let depth = 0
  for (let at = from; at < to; at++) {
    const text = tokens[at]?.text ?? ''
    if (text === '(') depth++
    else if (text === ')') depth--
    else if (depth === 0 && arithmetic.has(text) && at > from && to > from + 1) return true
  }
  return false
}

/** Reports whether arithmetic stands beside a range. */
export function isOperand(tokens: readonly SqlToken[], { from, to }: TokenRange): boolean {
  return [tokens[from - 1], tokens[to]].some((token) => token !== undefined && arithmetic.has(token.text))
}

/** Returns an output without its AS and name. */
function withoutAlias(tokens: readonly SqlToken[], { from, to }: TokenRange): TokenRange {
  if (to - from > 2 && isWord(tokens, to - 2, 'AS')) return { from, to: to - 2 }
  return { from, to }
}
