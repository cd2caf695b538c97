import type { Dialect } from '../enums/dialect.js'
import type { SqlParser } from './parser-interface.js'

/** Whether the outermost query orders its rows; false for what cannot be parsed. */
export function outermostOrder(
  parser: SqlParser,
  sql: string,
  dialect: Dialect,
): { readonly ordered: boolean } {
  const parsed = parser.parse(sql, dialect)
  return { ordered: parsed.kind === 'query' && parsed.shape.orderBy.length > 0 }
}
