import type { QueryShape, SelectShape } from '../shape/query-shape.js'

/** What a rewrite made of a SELECT, which is a SELECT again. */
export function asSelect(query: QueryShape, otherwise: SelectShape): SelectShape {
  return query.kind === 'select' ? query : otherwise
}
