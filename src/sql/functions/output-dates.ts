import type { QueryShape } from '../shape/query-shape.js'
import { mapAll, withChanges } from '../shape/rewrite-query.js'
import { startOfDay } from './interval-arithmetic.js'

/**
 * The query with what it shows, groups and orders by as days in one form: a date and its midnight are one value there, as
 * in the comparison of results. Inside other calls they are not: as texts they differ.
 */
export function normalizeOutputDates(query: QueryShape): QueryShape {
  if (query.kind !== 'select') return query
  return withChanges(query, {
    outputs: mapAll(query.outputs, startOfDay),
    groupBy: mapAll(query.groupBy, startOfDay),
    orderBy: mapAll(query.orderBy, (item) => withChanges(item, { by: startOfDay(item.by) })),
  })
}
