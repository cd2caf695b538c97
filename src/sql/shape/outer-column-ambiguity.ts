import type { Expression, FromNode, QueryShape, SourceId } from './query-shape.js'
import { eachFrom, rewriteQuery, someInQuery } from './rewrite-query.js'

/** The columns, as `table.name`, that the query may mean of a query around the one that reads the table. */
export function ambiguousColumns(query: QueryShape): ReadonlySet<string> {
  const marked: Column[] = []
  someInQuery(query, (part) => {
    if (part.kind === 'column' && part.outer !== undefined) marked.push(part)
    return false
  })
  if (marked.length === 0) return new Set()
  const tables = tablesOf(query)
  return new Set(marked.map((column) => nameOf(column, tables)))
}

/** The columns, as `table.name`, that the tables must have for the query to be one. */
export function unambiguousColumns(query: QueryShape): ReadonlySet<string> {
  const certain = new Set<string>()
  const tables = tablesOf(query)
  someInQuery(query, (part) => {
    if (part.kind === 'column' && part.outer === undefined) certain.add(nameOf(part, tables))
    return false
  })
  return certain
}

/** The query where these columns, as `table.name`, are those of the queries around, and all others are their table's. */
export function resolveOuterColumns(query: QueryShape, names: ReadonlySet<string>): QueryShape {
  const tables = tablesOf(query)
  return rewriteQuery(query, {
    query: (nested) => nested,
    expression: (part) => {
      if (part.kind !== 'column' || part.outer === undefined) return part
      const { outer, ...column } = part
      return names.has(nameOf(part, tables)) ? { ...column, ...outer } : column
    },
  })
}

type Column = Expression & { kind: 'column' }

function nameOf({ source, name }: Column, tables: ReadonlyMap<SourceId, string>): string {
  return `${source === undefined ? '' : (tables.get(source) ?? source)}.${name}`
}

function tablesOf(query: QueryShape): ReadonlyMap<SourceId, string> {
  const tables = new Map<SourceId, string>()
  const visit = (node: FromNode): void => {
    if (node.kind === 'join') [node.left, node.right].forEach(visit)
    if (node.kind === 'table') tables.set(node.id, node.name)
  }
  eachFrom(query, visit)
  return tables
}
