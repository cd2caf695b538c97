import { distance } from 'fastest-levenshtein'
import type { TableSchema } from '../../sql/index.js'
import type { Mutation } from './mutation.js'
import type { QueryText } from './query-text.js'
import type { Scope, Term } from './scoped-tokens.js'

/** An occurrence of a known table's column in the query. */
export interface Mention {
  readonly term: Term
  readonly table: TableSchema
  /** Plain lower-case name. */
  readonly column: string
}

/**
 * How many sibling columns are tried for one column, the most similar first: they are most easily confused
 * with it.
 */
const mostSiblings = 8
/** How many mentions of one column are changed individually. */
const mostMentions = 20

/** Returns mutations with another column of the same table and type: in each mention, and in all of them. */
export function swappedColumns(query: QueryText): Mutation[] {
  const groups = groupMentions(query)
  return groups.flatMap((mentions) => {
    const [first] = mentions
    if (first === undefined) return []
    return siblings(first).flatMap((sibling): Mutation[] => {
      const words = `${sibling} instead of ${first.column}`
      const replace = ({ term }: Mention) => ({ start: term.start, end: term.end, text: sibling })
      const each = mentions
        .slice(0, mostMentions)
        .map((mention): Mutation => ({ kind: 'column', words, replacements: [replace(mention)] }))
      if (mentions.length === 1) return each
      return [...each, { kind: 'column', words: `${words} everywhere`, replacements: mentions.map(replace) }]
    })
  })
}

function groupMentions(query: QueryText): Mention[][] {
  const groups = new Map<string, Mention[]>()
  for (const mention of columnMentions(query)) {
    const key = `${mention.table.name}.${mention.column}`
    groups.set(key, [...(groups.get(key) ?? []), mention])
  }
  return [...groups.values()]
}

function columnMentions(query: QueryText): Mention[] {
  return query.terms.flatMap((_, at) => mentionAt(query, at) ?? [])
}

/** Returns the column that the term at `at` names, if it belongs to a known table. */
export function mentionAt({ terms, tableNames }: QueryText, at: number): Mention | undefined {
  const [term, previous, next] = [terms[at], terms[at - 1], terms[at + 1]]
  if (term === undefined || (term.kind !== 'word' && term.kind !== 'quoted') || tableNames.has(at))
    return undefined
  // A function, a qualifier, a typed literal (DATE '…'), or the name of an output.
  if (next?.text === '(' || next?.text === '.' || next?.kind === 'string') return undefined
  if (previous?.kind === 'word' && previous.value === 'AS') return undefined
  const column = term.value.toLowerCase()
  const qualifier = previous?.text === '.' ? terms[at - 2]?.value.toLowerCase() : undefined
  const table = findTable(term.scope, column, qualifier)
  return table === undefined ? undefined : { term, table, column }
}

function findTable(from: Scope, column: string, qualifier: string | undefined): TableSchema | undefined {
  for (let scope: Scope | undefined = from; scope !== undefined; scope = scope.parent) {
    const tables = qualifier === undefined ? [...scope.tables.values()] : [scope.tables.get(qualifier)]
    const table = tables.find((candidate) => candidate?.columns.has(column))
    if (table !== undefined) return table
  }
  return undefined
}

function siblings({ table, column }: Mention): string[] {
  const type = table.columns.get(column)?.type
  return [...table.columns]
    .filter(([name, other]) => name !== column && other.type === type && /^[a-z_]\w*$/u.test(name))
    .map(([name]) => name)
    .sort((a, b) => distance(a, column) - distance(b, column))
    .slice(0, mostSiblings)
}
