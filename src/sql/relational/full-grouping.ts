import type { Dialect } from '../../dialect.js'
import type { Expression, FromNode, QueryShape, SourceId } from '../shape/query-shape.js'
import { includes } from './columns.js'

/**
 * PostgreSQL lets a group show a column that its keys do not name only where they name the primary key of its table:
 * then the column is one more key, as other dialects want it written.
 */
export function nameShownKeys(query: QueryShape, dialect: Dialect): QueryShape {
  if (dialect !== 'postgres' || query.kind !== 'select') return query
  if (query.groupBy.length === 0 || query.extras.length > 0 || query.from === undefined) return query
  const own = tablesOf(query.from)
  const keyed = new Set(
    query.groupBy.flatMap((key) => (key.kind === 'column' && key.source !== undefined ? [key.source] : [])),
  )
  const isShown = (value: Expression): boolean =>
    value.kind === 'column' && value.source !== undefined && own.has(value.source) && keyed.has(value.source)
  const values = [...query.outputs, ...query.orderBy.map(({ by }) => by)]
  const missing = values.filter((value) => isShown(value) && !includes(query.groupBy, value))
  const distinct = missing.filter((value, at) => !includes(missing.slice(0, at), value))
  return distinct.length === 0 ? query : { ...query, groupBy: [...query.groupBy, ...distinct] }
}

function tablesOf(node: FromNode): ReadonlySet<SourceId> {
  if (node.kind === 'join') return new Set([...tablesOf(node.left), ...tablesOf(node.right)])
  return new Set(node.kind === 'table' ? [node.id] : [])
}
