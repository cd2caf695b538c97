import type { SqlToken } from '../tokens.js'
import { commonTableScopes, groupEnds } from './common-table-scopes.js'

/** A table that a query reads. */
export interface TableReplacement {
  /** As SQL, for a name that nothing else in the query has. */
  readonly name: string
}

export type ReplaceTablesOutcome =
  | { readonly kind: 'sql'; readonly sql: string }
  /** A table has no replacement, or is read in a way that a replacement could not be. */
  | { readonly kind: 'failed'; readonly message: string }

/** Keywords after which no table of a FROM clause can follow. */
const clauseStarts: ReadonlySet<string> = new Set([
  ...['SELECT', 'WHERE', 'GROUP', 'HAVING', 'ORDER', 'LIMIT', 'UNION', 'INTERSECT', 'EXCEPT', 'MINUS'],
  ...['WINDOW', 'QUALIFY', 'FETCH', 'OFFSET', 'VALUES'],
])
/** Words that follow a table and are not its alias. */
const noAlias: ReadonlySet<string> = new Set([
  ...clauseStarts,
  ...['JOIN', 'INNER', 'LEFT', 'RIGHT', 'FULL', 'CROSS', 'NATURAL', 'OUTER', 'SEMI', 'ANTI', 'ASOF'],
  ...['STRAIGHT_JOIN', 'ON', 'USING', 'LATERAL', 'ANY', 'GLOBAL', 'POSITIONAL'],
])
/** Words after a table that ask for more than its rows: samples, index hints, earlier versions, pivots. */
const moreThanRows: ReadonlySet<string> = new Set([
  ...[
    'TABLESAMPLE',
    'SAMPLE',
    'USE',
    'FORCE',
    'IGNORE',
    'PARTITION',
    'PIVOT',
    'UNPIVOT',
    'FOR',
    'AT',
    'BEFORE',
  ],
  ...['MATCH_RECOGNIZE', 'VERSION', 'TIMESTAMP', 'CHANGES', 'WITH'],
])
const beforeTables: ReadonlySet<string> = new Set(['LATERAL', 'ONLY', 'OUTER'])

/**
 * Rewrites a query so that it reads other tables under the names that it uses. `replacementOf` gets the parts of a name as
 * written, without quotes; names that a WITH clause of the query defines are left alone.
 */
export function replaceTables(
  sql: string,
  tokens: readonly SqlToken[],
  replacementOf: (parts: readonly string[]) => TableReplacement | undefined,
): ReplaceTablesOutcome {
  const ends = groupEnds(tokens)
  const isCommonTable = commonTableScopes(tokens, ends)
  const edits: { readonly start: number; readonly end: number; readonly text: string }[] = []
  const qualified = new Set<string>()
  const references = new Set<number>()
  for (const { at, next } of tablePlaces(tokens)) {
    const names = tokens.slice(at, next).filter((_, index) => index % 2 === 0)
    const parts = names.map(nameOf)
    for (let index = at; index < next; index++) references.add(index)
    if (parts.length === 1 && isCommonTable(parts[0] ?? '', at)) continue
    const replacement = replacementOf(parts)
    if (replacement === undefined) return { kind: 'failed', message: `it reads ${parts.join('.')}` }
    const follows = tokens[next]
    if (follows?.kind === 'word' && moreThanRows.has(follows.value))
      return { kind: 'failed', message: `it reads ${parts.join('.')} with ${follows.value}` }
    const isAliased =
      follows !== undefined &&
      (follows.kind === 'quoted' || (follows.kind === 'word' && !noAlias.has(follows.value)))
    const last = names.at(-1)?.text ?? ''
    const [start, end] = [names[0]?.start ?? 0, names.at(-1)?.end ?? 0]
    edits.push({ start, end, text: isAliased ? replacement.name : `${replacement.name} AS ${last}` })
    if (parts.length > 1) qualified.add(keyOf(parts))
  }
  edits.push(...shortenedColumns(tokens, qualified, references))
  let text = sql
  for (const edit of edits.sort((a, b) => b.start - a.start))
    text = text.slice(0, edit.start) + edit.text + text.slice(edit.end)
  return { kind: 'sql', sql: text }
}

/** A name as a word or in quotes. */
function nameOf(token: SqlToken): string {
  return token.kind === 'word' ? token.text : token.value
}

function keyOf(parts: readonly string[]): string {
  return JSON.stringify(parts.map((part) => part.toLowerCase()))
}

function isName(token: SqlToken | undefined): boolean {
  return token?.kind === 'word' || token?.kind === 'quoted'
}

/** Returns the index after the last token of a name with its qualifiers. */
function chainEnd(tokens: readonly SqlToken[], at: number): number {
  let next = at + 1
  while (tokens[next]?.text === '.' && isName(tokens[next + 1])) next += 2
  return next
}

/** Where a clause of one SELECT stands while its tokens are read. */
interface Group {
  hasSelect: boolean
  inFrom: boolean
  /** A table may come next. */
  expects: boolean
}

/** Returns where names of tables stand; `next` is the index after the last token of a name. */
function tablePlaces(tokens: readonly SqlToken[]): { readonly at: number; readonly next: number }[] {
  const places: { at: number; next: number }[] = []
  const groups: Group[] = [{ hasSelect: false, inFrom: false, expects: false }]
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]
    const group = groups.at(-1)
    if (token === undefined || group === undefined) break
    if (token.text === '(') {
      // Joins may be in parentheses.
      groups.push({ hasSelect: false, inFrom: group.expects, expects: group.expects })
    } else if (token.text === ')') {
      groups.pop()
      const outer = groups.at(-1)
      if (outer !== undefined) outer.expects = false
    } else if (token.text === ',') group.expects = group.inFrom
    else if (token.kind === 'word' && clauseStarts.has(token.value) && tokens[at - 1]?.text !== '.') {
      group.hasSelect ||= token.value === 'SELECT'
      group.inFrom = false
      group.expects = false
    } else if (token.value === 'FROM' && token.kind === 'word') {
      // EXTRACT(… FROM …) and IS DISTINCT FROM begin no clause.
      if (group.hasSelect && tokens[at - 1]?.value !== 'DISTINCT') {
        group.inFrom = true
        group.expects = true
      }
    } else if (group.inFrom && token.kind === 'word' && /^(?:STRAIGHT_)?JOIN$/u.test(token.value))
      group.expects = true
    else if (token.kind === 'word' && (token.value === 'ON' || token.value === 'USING')) group.expects = false
    else if (group.expects && isName(token) && !(token.kind === 'word' && beforeTables.has(token.value))) {
      const next = chainEnd(tokens, at)
      group.expects = false
      // A function that returns a table is none.
      if (tokens[next]?.text !== '(' && !(token.kind === 'word' && token.value === 'WITH'))
        places.push({ at, next })
      at = next - 1
    }
  }
  return places
}

/** Returns edits that take the schema from columns like `shop.orders.id`: a replaced table has its short name alone. */
function shortenedColumns(
  tokens: readonly SqlToken[],
  qualified: ReadonlySet<string>,
  references: ReadonlySet<number>,
): { readonly start: number; readonly end: number; readonly text: string }[] {
  const edits: { start: number; end: number; text: string }[] = []
  for (let at = 0; at < tokens.length; at++) {
    if (!isName(tokens[at]) || references.has(at)) continue
    const next = chainEnd(tokens, at)
    const names = tokens.slice(at, next).filter((_, index) => index % 2 === 0)
    const star = tokens[next]?.text === '.' && tokens[next + 1]?.text === '*' ? 0 : 1
    const table = names.slice(0, names.length - star)
    if (table.length > 1 && qualified.has(keyOf(table.map(nameOf))))
      edits.push({ start: names[0]?.start ?? 0, end: table.at(-1)?.start ?? 0, text: '' })
    at = next - 1
  }
  return edits
}
