import { type AstObject, asNode } from './ast.js'

/** `(a JOIN b) AS t` names the rows of `SELECT * FROM a JOIN b`. */
export function selectAllFrom(item: unknown): AstObject {
  return { select: { expressions: [{ star: {} }], from: { expressions: [item] } } }
}

/** A derived table of the query with the alias and the column names of the body. */
export function aliasedSubquery(query: unknown, { alias, column_aliases }: AstObject): AstObject {
  return { this: query, alias, column_aliases: column_aliases ?? [] }
}

/** Whether the value is a query, so that brackets around it add nothing. */
export function isQueryTag(value: unknown): boolean {
  return ['select', 'union', 'intersect', 'except'].includes(asNode(value)?.tag ?? '')
}
