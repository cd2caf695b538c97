import type { Schema, SqlToken } from '../../sql/index.js'
import { readTables } from './read-tables.js'
import type { Scope, Term } from './scoped-tokens.js'

/** A query in the form that mutations use. */
export interface QueryText {
  readonly sql: string
  readonly terms: readonly Term[]
  /** Indexes of terms that name tables and aliases. */
  readonly tableNames: ReadonlySet<number>
}

const setOperations: ReadonlySet<string> = new Set(['UNION', 'INTERSECT', 'EXCEPT'])
const queryStarts: ReadonlySet<string> = new Set(['SELECT', 'WITH', 'VALUES', 'FROM'])

/** Keywords that end a clause at the same nesting. */
const clauseEnds: ReadonlySet<string> = new Set([
  ...setOperations,
  ...['FROM', 'WHERE', 'GROUP', 'HAVING', 'QUALIFY', 'WINDOW', 'ORDER', 'LIMIT', 'OFFSET', 'FETCH', 'USING'],
  ...[
    'JOIN',
    'LEFT',
    'RIGHT',
    'FULL',
    'INNER',
    'CROSS',
    'NATURAL',
    'ASOF',
    'SEMI',
    'ANTI',
    'POSITIONAL',
    'ON',
  ],
  ...['ROWS', 'RANGE', 'GROUPS'],
])

export function readQuery(sql: string, tokens: readonly SqlToken[], schema: Schema): QueryText {
  const terms = assignScopes(tokens)
  return { sql, terms, tableNames: readTables(terms, schema) }
}

function assignScopes(tokens: readonly SqlToken[]): Term[] {
  const open: ('(' | 'CASE')[] = []
  let scope: Scope = { parent: undefined, depth: 0, tables: new Map() }
  return tokens.map((token, at) => {
    if (token.text === ')') {
      while (open.length > 0 && open.pop() === 'CASE');
    } else if (isWord(token, 'END') && open.at(-1) === 'CASE') open.pop()
    while (scope.parent !== undefined && scope.depth > open.length) scope = scope.parent
    if (token.kind === 'word' && setOperations.has(token.value) && open.length === scope.depth)
      scope = { parent: scope.parent, depth: scope.depth, tables: new Map() }
    const term = { ...token, depth: open.length, scope }
    if (token.text === '(') {
      open.push('(')
      const next = tokens[at + 1]
      if (next?.kind === 'word' && queryStarts.has(next.value))
        scope = { parent: scope, depth: open.length, tables: new Map() }
    } else if (isWord(token, 'CASE')) open.push('CASE')
    return term
  })
}

export function isWord(token: SqlToken | undefined, ...words: readonly string[]): boolean {
  return token?.kind === 'word' && words.includes(token.value)
}

/**
 * Returns the index of the first term after `from` that no longer belongs to the clause with the nesting
 * `depth`.
 */
export function clauseEnd(terms: readonly Term[], from: number, depth: number): number {
  for (let at = from; at < terms.length; at++) {
    const term = terms[at]
    if (term === undefined || term.depth < depth) return at
    if (term.depth === depth && term.kind === 'word' && clauseEnds.has(term.value) && !isCall(terms, at))
      return at
  }
  return terms.length
}

/** Reports whether a keyword is used as a function: `left(name, 2)`. */
export function isCall(terms: readonly Term[], at: number): boolean {
  return isWord(terms[at], 'LEFT', 'RIGHT', 'RANGE') && terms[at + 1]?.text === '('
}

/** Terms from `first` to `last`, both inclusive, by their indexes. */
export interface TermRange {
  readonly first: number
  readonly last: number
}

/** Returns the ranges between commas at the nesting `depth`, from `from` until `end`. */
export function listItems(terms: readonly Term[], from: number, end: number, depth: number): TermRange[] {
  const items: TermRange[] = []
  let first = from
  for (let at = from; at <= end; at++) {
    const term = terms[at]
    const isEnd = at === end || (term?.text === ',' && term.depth === depth)
    if (!isEnd) continue
    if (at > first) items.push({ first, last: at - 1 })
    first = at + 1
  }
  return items
}

/** Returns the text of a range on one line. */
export function textOf(query: QueryText, { first, last }: TermRange): string {
  const [start, end] = [query.terms[first]?.start, query.terms[last]?.end]
  return start === undefined || end === undefined ? '' : query.sql.slice(start, end).replaceAll(/\s+/gu, ' ')
}
