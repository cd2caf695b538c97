import { type Schema, tableOf } from '../../sql/index.js'
import type { Term } from './scoped-tokens.js'

/** Keywords that may follow a table and are no alias of it. */
const nonAliasKeywords: ReadonlySet<string> = new Set([
  ...[
    'WHERE',
    'GROUP',
    'HAVING',
    'QUALIFY',
    'WINDOW',
    'ORDER',
    'LIMIT',
    'OFFSET',
    'FETCH',
    'ON',
    'USING',
    'FOR',
  ],
  ...['JOIN', 'LEFT', 'RIGHT', 'FULL', 'INNER', 'CROSS', 'NATURAL', 'ASOF', 'SEMI', 'ANTI', 'POSITIONAL'],
  ...['UNION', 'INTERSECT', 'EXCEPT', 'TABLESAMPLE', 'LATERAL', 'SELECT'],
])

/**
 * Records the tables of each scope, and returns the indexes of the terms that name tables and their aliases.
 */
export function readTables(terms: readonly Term[], schema: Schema): ReadonlySet<number> {
  const named = new Set<number>()
  const ctes = cteNames(terms)
  let inFrom = false
  for (const [at, term] of terms.entries()) {
    const isOwn = term.depth === term.scope.depth
    if (
      isOwn &&
      term.kind === 'word' &&
      /^(?:WHERE|GROUP|HAVING|ORDER|LIMIT|SELECT|UNION)$/u.test(term.value)
    )
      inFrom = false
    const isFrom = isOwn && term.kind === 'word' && term.value === 'FROM'
    if (isFrom) inFrom = true
    const isJoin = term.kind === 'word' && term.value === 'JOIN'
    if (isFrom || isJoin || (inFrom && isOwn && term.text === ','))
      readTable(terms, at + 1, schema, ctes, named)
  }
  return named
}

function readTable(
  terms: readonly Term[],
  from: number,
  schema: Schema,
  ctes: ReadonlySet<string>,
  named: Set<number>,
): void {
  let at = from
  while (terms[at]?.text === '(') at++
  const parts: string[] = []
  for (let part = terms[at]; isName(part); part = terms[at]) {
    parts.push(part.kind === 'quoted' ? part.value : part.text)
    named.add(at++)
    if (terms[at]?.text !== '.') break
    at++
  }
  if (parts.length === 0 || terms[at]?.text === '(') return
  if (terms[at]?.kind === 'word' && terms[at]?.value === 'AS') at++
  const next = terms[at]
  const alias = isName(next) && !(next.kind === 'word' && nonAliasKeywords.has(next.value)) ? next : undefined
  if (alias !== undefined) named.add(at)
  const name = parts.join('.')
  const table = ctes.has(name.toLowerCase()) ? undefined : tableOf(schema, name)
  const scope = terms[from]?.scope
  if (table === undefined || scope === undefined) return
  for (const known of [parts.at(-1) ?? name, ...(alias === undefined ? [] : [alias.value])])
    scope.tables.set(known.toLowerCase(), table)
}

function isName(term: Term | undefined): term is Term {
  return term?.kind === 'quoted' || (term?.kind === 'word' && term.value !== 'SELECT')
}

/** Returns the names of common table expressions: they shadow tables of the schema. */
function cteNames(terms: readonly Term[]): ReadonlySet<string> {
  return new Set(
    terms.flatMap((term, at) => {
      const [as, bracket] = [terms[at + 1], terms[at + 2]]
      const before = terms[at - 1]
      const opens = before?.text === ',' || before?.value === 'WITH' || before?.value === 'RECURSIVE'
      return opens && as?.value === 'AS' && bracket?.text === '(' ? [term.value.toLowerCase()] : []
    }),
  )
}
