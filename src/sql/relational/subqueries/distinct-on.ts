import { numberLiteral } from '../../functions/function-table.js'
import { normalizeWindowOrder } from '../../normalize/window-order.js'
import { apply, type Expression, field, type OrderItem, type SelectShape } from '../../shape/query-shape.js'
import { orderExpression } from '../../shape/window.js'
import { includesExpression } from '../column-references.js'
import type { Facts } from '../table-facts.js'

/**
 * `DISTINCT ON (g) … ORDER BY g, x`, the first row of each g, as QUALIFY of its number among them. Without an order any row
 * of a group will do, which nothing else says.
 */
export function distinctOnToQualify(select: SelectShape, facts: Facts): SelectShape {
  const [on, ...others] = select.extras
  if (on?.kind !== 'apply' || on.op !== 'field:distinct_on' || others.length > 0) return select
  const { orderBy, qualify } = select
  if (qualify !== undefined || orderBy.length === 0) return select
  const keys = on.args
  const order = orderBy.filter(({ by }) => !includesExpression(keys, by)).map(orderExpression)
  if (order.length === 0) return select
  const place = apply(
    'over',
    apply('row_number'),
    field('partition_by', ...keys),
    normalizeWindowOrder(field('order_by', ...order), facts.dialect, facts.assumptions, {
      isNeverNull: () => false,
      isOptional: () => false,
    }),
  )
  return {
    ...select,
    distinct: false,
    extras: [],
    qualify: apply('=', place, numberLiteral('1')),
    orderBy: orderOfGroups(orderBy, keys),
  }
}

/** Behind all keys nothing is left to order: each group has one row. */
function orderOfGroups(orderBy: readonly OrderItem[], keys: readonly Expression[]): readonly OrderItem[] {
  const other = orderBy.findIndex(({ by }) => !includesExpression(keys, by))
  const first = orderBy.slice(0, other).map(({ by }) => by)
  return keys.every((key) => includesExpression(first, key)) ? orderBy.slice(0, other) : orderBy
}
