import type { Dialect } from '../../enums/dialect.js'
import type { QueryShape, SqlParser } from '../../sql/index.js'
import type { RowOrder } from '../outcomes/query-outcomes.js'
import { orderColumns } from './order-columns.js'
import { hasOutermostOrderBy, rewriteAsSelect } from './outermost-order-by.js'
import { addTieRanks } from './tie-rank-query.js'

export const unordered: RowOrder = { order: 'unordered', columnsIn: () => undefined }

/** The note for rows in another order that may be ties. */
const unreadableOrderNote = 'the ORDER BY of the expected query cannot be parsed: rows are compared in order'

/** Reports whether the query may order its rows: only then a parser is needed. */
export function mayHaveOrderBy(sql: string): boolean {
  return /\border\b/i.test(sql)
}

/**
 * Determines the row order: it counts if the query orders its outermost select. A query that cannot be parsed
 * is judged by its tokens, so that one that orders its rows is not treated as unordered.
 */
export function queryOrder(parser: SqlParser, sql: string, dialect: Dialect): RowOrder {
  const parsed = parser.parse(sql, dialect)
  if (parsed.kind === 'query') {
    const { shape } = parsed
    return shape.orderBy.length === 0
      ? unordered
      : { ...orderOf(shape), tieQuery: () => tieQueryOf(parser, sql, dialect, shape) }
  }
  const written = parser.tokenize(sql, dialect)
  if (written.kind === 'failed') return /\border\s+by\b/i.test(sql) ? unreadableOrder : unordered
  if (!hasOutermostOrderBy(written.tokens)) return unordered
  const spelled = rewriteAsSelect(sql, written.tokens)
  const again = spelled === undefined ? undefined : parser.parse(spelled, dialect)
  return again?.kind === 'query' && again.shape.orderBy.length > 0 ? orderOf(again.shape) : unreadableOrder
}

const unreadableOrder: RowOrder = { order: 'ordered', columnsIn: () => undefined, note: unreadableOrderNote }

function orderOf(shape: QueryShape): RowOrder {
  return { order: 'ordered', columnsIn: (expected) => orderColumns(shape, expected.columns) }
}

/** Returns the query with tie ranks. Keys of a set operation are columns in its output. */
function tieQueryOf(parser: SqlParser, sql: string, dialect: Dialect, shape: QueryShape): string | undefined {
  const written = shape.kind === 'select' ? parser.tokenize(sql, dialect) : undefined
  return shape.kind === 'select' && written?.kind === 'tokens'
    ? addTieRanks(sql, written.tokens, shape)
    : undefined
}
