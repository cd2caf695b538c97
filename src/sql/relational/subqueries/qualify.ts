import { type Expression, emptySelect, isStar, type SelectShape } from '../../shape/query-shape.js'
import { isSameExpression } from '../column-references.js'
import { isAggregateCall, isStable } from '../known-functions.js'
import type { Facts } from '../table-facts.js'

/**
 * `QUALIFY` as a condition on a derived table whose columns are the outputs, and whatever else the condition and the order
 * ask for: as dialects write it that have no QUALIFY.
 */
export function qualifyToWhere(select: SelectShape, facts: Facts): SelectShape {
  const { qualify, from } = select
  if (qualify === undefined || from === undefined || select.extras.length > 0) return select
  if (select.outputs.some((output) => isStar(output) || !isStable(output))) return select
  const id = facts.nextSourceId()
  const inner: Expression[] = [...select.outputs]
  const asColumn = (value: Expression): Expression => {
    const known = inner.findIndex((output) => isSameExpression(output, value))
    const output = known < 0 ? inner.push(value) - 1 : known
    return { kind: 'column', source: id, name: select.names[output] ?? `column ${output + 1}`, output }
  }
  const outside = (value: Expression): Expression | undefined => {
    if (value.kind === 'literal') return value
    if (value.kind === 'query') return undefined
    const isOne = value.kind === 'column' || value.op === 'over' || isAggregateCall(value)
    if (isOne || inner.some((output) => isSameExpression(output, value))) return asColumn(value)
    const args = value.args.map(outside)
    const all = args.filter((arg) => arg !== undefined)
    return all.length === args.length ? { ...value, args: all } : undefined
  }
  const condition = outside(qualify)
  const keys = select.orderBy.map((item) => ({ item, by: outside(item.by) }))
  const orderBy = keys.flatMap(({ item, by }) => (by === undefined ? [] : [{ ...item, by }]))
  if (condition === undefined || orderBy.length < keys.length) return select
  const names = inner.map((_, at) => select.names[at])
  const query: SelectShape = {
    ...select,
    ...{ distinct: false, outputs: inner, names, qualify: undefined, orderBy: [] },
    ...{ limit: undefined, offset: undefined, positional: false },
  }
  return {
    ...emptySelect,
    distinct: select.distinct,
    outputs: select.outputs.map(asColumn),
    names: select.names,
    from: { kind: 'derived', id, query, alias: undefined, extras: [] },
    where: condition,
    orderBy,
    limit: select.limit,
    offset: select.offset,
    positional: select.positional,
  }
}
