import type { QueryShape, SelectShape } from '../shape/query-shape.js'

/** Returns the result of rewriting a SELECT, which is a SELECT again. */
export function asSelect(query: QueryShape, otherwise: SelectShape): SelectShape {
  return query.kind === 'select' ? query : otherwise
}
