import { falseLiteral, isFalse } from '../../conditions/boolean-expressions.js'
import { conjuncts, type QueryShape, type SelectShape, type SetShape } from '../../shape/query-shape.js'
import { hasGroupingSets } from '../groups/grouping-sets.js'
import { mayAggregate } from '../known-functions.js'

/** Whether the query has no row whatever the data: its WHERE is never true, or its LIMIT is 0. */
export function isEmpty(query: QueryShape): boolean {
  if (query.limit?.kind === 'literal' && query.limit.value === '0') return true
  return query.kind === 'select' && query.extras.length === 0 && isNeverTrue(query) && !hasOneGroup(query)
}

function isNeverTrue({ where }: SelectShape): boolean {
  return conjuncts(where).some(isFalse)
}

/** An aggregate over no rows is a row. */
function hasOneGroup(select: SelectShape): boolean {
  if (select.groupBy.length > 0) return hasGroupingSets(select)
  if (select.orderBy.some(({ by }) => mayAggregate(by))) return true
  return select.outputs.some(mayAggregate) || select.having !== undefined || select.qualify !== undefined
}

/** A query without rows in one form: nothing about their order, number or grouping matters. */
export function canonicalizeEmptyQuery(select: SelectShape): SelectShape {
  if (!isEmpty(select) || select.extras.length > 0 || select.outputs.some(mayAggregate)) return select
  const isPlain =
    select.limit === undefined &&
    select.offset === undefined &&
    select.orderBy.length === 0 &&
    select.groupBy.length === 0 &&
    !select.distinct
  if (isPlain && select.where !== undefined && isFalse(select.where)) return select
  return {
    ...select,
    where: falseLiteral,
    groupBy: [],
    having: undefined,
    qualify: undefined,
    distinct: false,
    orderBy: [],
    limit: undefined,
    offset: undefined,
  }
}

/** UNION ALL without the operands that have no rows; one that is left alone is the whole. */
export function withoutEmptyOperands(query: SetShape): QueryShape {
  if (query.operation !== 'union' || query.extras.length > 0) return query
  const operands = query.operands.filter((operand) => !isEmpty(operand))
  if (operands.length === query.operands.length) return query
  const [first] = operands.length > 0 ? operands : query.operands
  if (first === undefined) return query
  if (operands.length > 1) return { ...query, operands }
  const isBare = query.orderBy.length === 0 && query.limit === undefined && query.offset === undefined
  if (!isBare) return operands.length === 1 ? { ...query, operands } : query
  if (query.all) return first
  return first.kind === 'select' && first.limit === undefined && first.offset === undefined
    ? { ...first, distinct: true }
    : query
}
