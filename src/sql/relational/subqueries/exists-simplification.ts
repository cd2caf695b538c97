import { trueLiteral } from '../../conditions/boolean-expressions.js'
import { apply, type Expression, type QueryShape } from '../../shape/query-shape.js'
import { hasOneRow } from './unused-joins.js'

/** EXISTS of a query of exactly one row is true; that of a UNION asks its operands one by one. */
export function simplifyExistsQuery(query: QueryShape): Expression | undefined {
  if (hasOneRow(query)) return trueLiteral
  const isBare = query.limit === undefined && query.offset === undefined && query.extras.length === 0
  if (query.kind !== 'set' || query.operation !== 'union' || !isBare) return undefined
  return apply('or', ...query.operands.map((operand) => apply('exists', { kind: 'query', query: operand })))
}

/** Whether there is a row among the first ten is whether there is a row. */
export function withoutLimit<T extends QueryShape>(query: T): T {
  const { limit, offset, extras } = query
  const isSome = limit?.kind === 'literal' && limit.type === 'number' && /^[1-9]\d*$/u.test(limit.value)
  return isSome && offset === undefined && extras.length === 0 ? { ...query, limit: undefined } : query
}
