import type { SqlToken } from '../../../../sql/index.js'
import {
  afterBracket,
  foldedName,
  isWord,
  splitConjuncts,
  splitList,
  type TokenRange,
  topLevelIndexes,
  withoutBrackets,
} from './token-ranges.js'

export type ClauseKind =
  | 'select'
  | 'from'
  | 'on'
  | 'where'
  | 'group'
  | 'having'
  | 'qualify'
  | 'window'
  | 'order'
  | 'limit'
  | 'offset'
  | 'fetch'

/** `range` with its keywords, `body` without; items are conjuncts or list members, separators left out. */
export interface Clause {
  readonly kind: ClauseKind
  readonly range: TokenRange
  readonly body: TokenRange
  readonly items: readonly TokenRange[]
}

/** One member of FROM: a table, a derived table or a function, with how it is joined. */
export interface Source {
  readonly range: TokenRange
  /** The keywords (or comma) before it; empty for the first. */
  readonly join: TokenRange
  readonly relation: TokenRange
  /** The name, without AS and column list. */
  readonly alias: TokenRange | undefined
  readonly on: Clause | undefined
  /** Column list of USING, with its parentheses. */
  readonly using: TokenRange | undefined
  /** Body of a derived table. */
  readonly query: Query | undefined
}

export interface Select {
  readonly range: TokenRange
  readonly distinct: TokenRange | undefined
  readonly clauses: ReadonlyMap<ClauseKind, Clause>
  readonly sources: readonly Source[]
}

export interface Cte {
  readonly name: string
  readonly range: TokenRange
  readonly query: Query
}

export interface Query {
  readonly range: TokenRange
  readonly ctes: readonly Cte[]
  /** The SELECTs that set operations connect; one where there is none. */
  readonly arms: readonly Select[]
  readonly operators: readonly TokenRange[]
  /** ORDER BY, LIMIT, OFFSET, FETCH of the whole. */
  readonly tail: ReadonlyMap<ClauseKind, Clause>
}

/**
 * Returns the clause tree of one query, or undefined if it is not a plain SELECT (VALUES, nested set
 * operations).
 */
export function parseClauses(tokens: readonly SqlToken[]): Query | undefined {
  let to = tokens.length
  while (to > 0 && tokens[to - 1]?.text === ';') to -= 1
  return parseQuery(tokens, { from: 0, to })
}

/** Returns the outermost bracketed queries inside the range. */
export function nestedQueries(tokens: readonly SqlToken[], range: TokenRange): Query[] {
  const queries: Query[] = []
  for (let index = range.from; index < range.to; index += 1) {
    if (tokens[index]?.text !== '(' || !isWord(tokens, index + 1, 'SELECT', 'WITH')) continue
    const end = afterBracket(tokens, index)
    const query = parseQuery(tokens, { from: index + 1, to: end - 1 })
    if (query !== undefined) queries.push(query)
    index = end - 1
  }
  return queries
}

function parseQuery(tokens: readonly SqlToken[], range: TokenRange): Query | undefined {
  const ctes: Cte[] = []
  let from = range.from
  if (isWord(tokens, from, 'WITH')) {
    from += isWord(tokens, from + 1, 'RECURSIVE') ? 2 : 1
    for (;;) {
      const cte = parseCte(tokens, from)
      if (cte === undefined) return undefined
      ctes.push(cte)
      from = cte.range.to
      if (tokens[from]?.text !== ',') break
      from += 1
    }
  }
  const top = topLevelIndexes(tokens, { from, to: range.to })
  const tailFrom = top.find((index) => isTail(tokens, index)) ?? range.to
  const operators = top
    .filter((index) => index < tailFrom && isSetOperator(tokens, index))
    .map((index) => ({
      from: index,
      to: isWord(tokens, index + 1, 'ALL', 'DISTINCT') ? index + 2 : index + 1,
    }))
  const starts = [from, ...operators.map((operator) => operator.to)]
  const ends = [...operators.map((operator) => operator.from), tailFrom]
  const arms: Select[] = []
  for (const [index, start] of starts.entries()) {
    const arm = parseArm(tokens, { from: start, to: ends[index] ?? start })
    if (arm === undefined) return undefined
    arms.push(arm)
  }
  const tail = readClauses(tokens, { from: tailFrom, to: range.to })
  return { range, ctes, arms, operators, tail }
}

function parseCte(tokens: readonly SqlToken[], from: number): Cte | undefined {
  let index = from + 1
  if (tokens[index]?.text === '(') index = afterBracket(tokens, index)
  if (!isWord(tokens, index, 'AS')) return undefined
  while (isWord(tokens, index, 'AS', 'NOT', 'MATERIALIZED')) index += 1
  if (tokens[index]?.text !== '(') return undefined
  const to = afterBracket(tokens, index)
  const query = parseQuery(tokens, { from: index + 1, to: to - 1 })
  return query && { name: foldedName(tokens[from]), range: { from, to }, query }
}

function parseArm(tokens: readonly SqlToken[], range: TokenRange): Select | undefined {
  const inner = withoutBrackets(tokens, range)
  if (inner.from > range.from) {
    const query = parseQuery(tokens, inner)
    const plain = query?.ctes.length === 0 && query.arms.length === 1 && query.tail.size === 0
    return plain ? query.arms[0] : undefined
  }
  if (!isWord(tokens, range.from, 'SELECT')) return undefined
  const clauses = readClauses(tokens, range)
  const from = clauses.get('from')
  const distinct = isWord(tokens, range.from + 1, 'DISTINCT')
    ? { from: range.from + 1, to: range.from + 2 }
    : undefined
  const sources = from === undefined ? [] : readSources(tokens, from.body)
  return { range, distinct, clauses, sources }
}

/** Returns the kind of clause that begins at `index`, with the number of tokens of its keywords. */
function clauseAt(tokens: readonly SqlToken[], index: number): [ClauseKind, number] | undefined {
  const by = isWord(tokens, index + 1, 'BY')
  if (isWord(tokens, index, 'SELECT')) {
    return ['select', isWord(tokens, index + 1, 'DISTINCT', 'ALL') ? 2 : 1]
  }
  // The FROM of `a IS DISTINCT FROM b` begins no clause.
  if (isWord(tokens, index, 'FROM') && !isWord(tokens, index - 1, 'DISTINCT')) return ['from', 1]
  if (isWord(tokens, index, 'WHERE')) return ['where', 1]
  if (isWord(tokens, index, 'GROUP') && by) return ['group', 2]
  if (isWord(tokens, index, 'HAVING')) return ['having', 1]
  if (isWord(tokens, index, 'QUALIFY')) return ['qualify', 1]
  if (isWord(tokens, index, 'WINDOW')) return ['window', 1]
  if (isWord(tokens, index, 'ORDER') && by) return ['order', 2]
  if (isWord(tokens, index, 'LIMIT')) return ['limit', 1]
  if (isWord(tokens, index, 'OFFSET')) return ['offset', 1]
  if (isWord(tokens, index, 'FETCH')) return ['fetch', 1]
  return undefined
}

function isTail(tokens: readonly SqlToken[], index: number): boolean {
  const kind = clauseAt(tokens, index)?.[0]
  return kind === 'order' || kind === 'limit' || kind === 'offset' || kind === 'fetch'
}

function isSetOperator(tokens: readonly SqlToken[], index: number): boolean {
  // BigQuery's `SELECT * EXCEPT (a)` is not a set operation.
  return (
    isWord(tokens, index, 'UNION', 'INTERSECT', 'EXCEPT', 'MINUS') &&
    (isWord(tokens, index + 1, 'ALL', 'DISTINCT', 'SELECT') || isWord(tokens, index + 2, 'SELECT'))
  )
}

function readClauses(tokens: readonly SqlToken[], range: TokenRange): Map<ClauseKind, Clause> {
  const starts = topLevelIndexes(tokens, range).flatMap((index) => {
    const opened = clauseAt(tokens, index)
    return opened === undefined ? [] : [{ index, kind: opened[0], words: opened[1] }]
  })
  const clauses = new Map<ClauseKind, Clause>()
  for (const [position, { index, kind, words }] of starts.entries()) {
    const whole = { from: index, to: starts[position + 1]?.index ?? range.to }
    const body = { from: Math.min(index + words, whole.to), to: whole.to }
    clauses.set(kind, { kind, range: whole, body, items: itemsOf(tokens, kind, body) })
  }
  return clauses
}

function itemsOf(tokens: readonly SqlToken[], kind: ClauseKind, body: TokenRange): TokenRange[] {
  if (kind === 'where' || kind === 'having' || kind === 'qualify' || kind === 'on') {
    return splitConjuncts(tokens, body)
  }
  if (kind === 'select' || kind === 'group' || kind === 'order' || kind === 'window') {
    return splitList(tokens, body)
  }
  return body.to > body.from ? [body] : []
}

const joinWords = [
  'NATURAL',
  'INNER',
  'LEFT',
  'RIGHT',
  'FULL',
  'CROSS',
  'OUTER',
  'ASOF',
  'SEMI',
  'ANTI',
  'JOIN',
]

function readSources(tokens: readonly SqlToken[], body: TokenRange): Source[] {
  const top = topLevelIndexes(tokens, body)
  const starts = [{ at: body.from, relation: body.from }]
  for (const index of top) {
    if (tokens[index]?.text === ',') starts.push({ at: index, relation: index + 1 })
    if (!isWord(tokens, index, 'JOIN')) continue
    let at = index
    // LEFT( and RIGHT( are functions, but never directly before JOIN.
    while (at - 1 > body.from && isWord(tokens, at - 1, ...joinWords)) at -= 1
    starts.push({ at, relation: isWord(tokens, index + 1, 'LATERAL') ? index + 2 : index + 1 })
  }
  return starts.map(({ at, relation }, index) =>
    readSource(tokens, { from: at, to: starts[index + 1]?.at ?? body.to }, relation),
  )
}

function readSource(tokens: readonly SqlToken[], range: TokenRange, from: number): Source {
  const condition = topLevelIndexes(tokens, { from, to: range.to }).find((i) =>
    isWord(tokens, i, 'ON', 'USING'),
  )
  const end = condition ?? range.to
  let to = from
  if (tokens[from]?.text === '(') {
    to = afterBracket(tokens, from)
  } else {
    to = from + 1
    while (tokens[to]?.text === '.' && to < end) to += 2
    if (tokens[to]?.text === '(' && to < end) to = afterBracket(tokens, to)
  }
  const relation = { from, to: Math.min(to, end) }
  const at = isWord(tokens, to, 'AS') ? to + 1 : to
  const alias = at < end && isName(tokens[at]) ? { from: at, to: at + 1 } : undefined
  const isOn = condition !== undefined && isWord(tokens, condition, 'ON')
  const body = { from: end + 1, to: range.to }
  return {
    range,
    join: { from: range.from, to: from },
    relation,
    alias,
    on: isOn
      ? { kind: 'on', range: { from: end, to: range.to }, body, items: itemsOf(tokens, 'on', body) }
      : undefined,
    using: condition !== undefined && !isOn ? body : undefined,
    query: tokens[from]?.text === '(' ? nestedQueries(tokens, relation)[0] : undefined,
  }
}

function isName(token: SqlToken | undefined): boolean {
  return token?.kind === 'word' || token?.kind === 'quoted'
}
