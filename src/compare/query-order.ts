import type { Dialect } from '../dialect.js'
import type { SqlParser } from '../sql/parser.js'
import { orderColumns } from './order-columns.js'
import type { RowOrder } from './run-both.js'

export const unordered: RowOrder = { order: 'unordered', columnsIn: () => undefined }

/** Whether the query may order its rows: only then a parser has to tell. */
export function mayOrder(sql: string): boolean {
  return /\border\b/i.test(sql)
}

/** Row order counts where the query orders its outermost select; what cannot be parsed asks for none. */
export function queryOrder(parser: SqlParser, sql: string, dialect: Dialect): RowOrder {
  const parsed = parser.parse(sql, dialect)
  if (parsed.kind !== 'query' || parsed.shape.orderBy.length === 0) return unordered
  return { order: 'ordered', columnsIn: (expected) => orderColumns(parsed.shape, expected.columns) }
}
