import { apply, conjuncts, type Expression, isStar, type SelectShape } from '../../shape/query-shape.js'
import { mapAll } from '../../shape/rewrite-query.js'
import type { Column } from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { blockOf } from '../join-block.js'
import { existsToJoin } from '../joins/exists-to-join.js'
import { isAggregateCall, mayAggregate } from '../known-functions.js'
import type { Facts } from '../table-facts.js'
import { mapResultValues } from '../values/map-result-values.js'
import { hasGroupingSets } from './grouping-sets.js'

/**
 * Rows of one table that are counted where others exist, as a join with those and a count of distinct keys: how many rows
 * match does not matter to it.
 */
export function existsToCountDistinct(select: SelectShape, facts: Facts): SelectShape {
  if (select.extras.length > 0 || select.qualify !== undefined || hasGroupingSets(select)) return select
  const { items, lefts, where } = blockOf(select)
  const [item, ...more] = items
  if (item?.kind !== 'table' || more.length + lefts.length + item.extras.length > 0) return select
  if (!where.some((condition) => condition.kind === 'apply' && condition.op === 'exists')) return select
  const table = facts.tables.get(item.id)
  const key = table?.keys.find(
    ({ columns: [name, ...others] }) =>
      name !== undefined && others.length === 0 && table.columns.get(name)?.notNull === true,
  )
  const name = key?.columns[0]
  if (name === undefined || !/^[a-z_][a-z0-9_$]*$/u.test(name)) return select
  const column: Column = { kind: 'column', source: item.id, name }
  const values = [...select.outputs, ...conjuncts(select.having), ...select.orderBy.map(({ by }) => by)]
  if (values.some((value) => isStar(value) || hasWindow(value)) || !values.some(mayAggregate)) return select
  const counted = mapResultValues(select, (value) => countStarToCountDistinct(value, column))
  if (counted === select) return select
  const joined = existsToJoin(counted, facts, false)
  return joined === counted ? select : joined
}

function countStarToCountDistinct(value: Expression, key: Column): Expression {
  if (value.kind !== 'apply') return value
  if (isAggregateCall(value)) {
    const [row, ...others] = value.args
    const isOfRows =
      value.op === 'count' && row?.kind === 'literal' && row.value === '*' && others.length === 0
    return isOfRows ? apply('count', apply('distinct', key)) : value
  }
  const args = mapAll(value.args, (arg) => countStarToCountDistinct(arg, key))
  return args === value.args ? value : { ...value, args }
}
