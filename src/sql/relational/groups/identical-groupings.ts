import type { Expression, QueryShape, SelectShape, SourceId } from '../../shape/query-shape.js'
import { asSelect } from '../as-select.js'
import {
  type Column,
  includesExpression,
  isSameExpression,
  replaceColumns,
  replaceColumnsIn,
} from '../column-references.js'
import { blockOf, withBlock } from '../join-block.js'
import { selfEqualityToNotNull } from '../joins/self-joins.js'
import { isAggregateCall, isStable } from '../known-functions.js'
import { isPartialAggregation } from './partial-aggregates.js'

interface Grouped {
  readonly id: SourceId
  readonly query: SelectShape
}

/**
 * Derived tables that group the same rows by the same keys, joined by these keys, as one with the aggregates of both. The
 * group of NULLs meets none.
 */
export function mergeIdenticalGroupings(select: SelectShape): SelectShape {
  const block = blockOf(select)
  const grouped = block.items.flatMap((item): Grouped[] =>
    item.kind === 'derived' && item.extras.length === 0 && isGrouped(item.query)
      ? [{ id: item.id, query: item.query }]
      : [],
  )
  for (const [at, one] of grouped.entries()) {
    for (const other of grouped.slice(at + 1)) {
      const there = mapToFirstGrouping(one.query, other.query)
      if (there === undefined || !areJoined(one, other, there, block.where)) continue
      const added = other.query.outputs.map(there)
      const outputs = [...one.query.outputs, ...added]
      const query = { ...one.query, outputs, names: outputs.map(() => undefined) }
      const items = block.items.flatMap((item) => {
        if (item.kind !== 'derived' || (item.id !== one.id && item.id !== other.id)) return [item]
        return item.id === one.id ? [{ ...item, query }] : []
      })
      const shift = one.query.outputs.length
      const place = (column: Column): number | undefined => {
        if (column.output === undefined) return undefined
        const key = other.query.outputs[column.output]
        const known = key && one.query.outputs.findIndex((output) => isSameExpression(output, there(key)))
        return known === undefined || known < 0 ? column.output + shift : known
      }
      const merged = asSelect(
        replaceColumns(withBlock(select, { ...block, items }), (column) => {
          const output = column.source === other.id ? place(column) : undefined
          return output === undefined ? undefined : { ...column, source: one.id, name: `${output}`, output }
        }),
        select,
      )
      const changed = blockOf(merged)
      return withBlock(merged, { ...changed, where: changed.where.map(selfEqualityToNotNull) })
    }
  }
  return select
}

function isGrouped(query: QueryShape): query is SelectShape {
  if (query.kind !== 'select' || !isPartialAggregation(query) || query.groupBy.length === 0) return false
  const { outputs, groupBy } = query
  // SQLite shows a column of some row, and beside max() that of the row with the greatest value.
  return (
    [...outputs, ...blockOf(query).where].every(isStable) &&
    outputs.every((output) => isOfGroup(output, groupBy))
  )
}

function isOfGroup(value: Expression, groupBy: readonly Expression[]): boolean {
  if (includesExpression(groupBy, value) || isAggregateCall(value)) return true
  return value.kind === 'apply'
    ? value.args.every((arg) => isOfGroup(arg, groupBy))
    : value.kind === 'literal'
}

/** Values of the second query in terms of the first, where both group the same rows in the same way. */
function mapToFirstGrouping(
  one: SelectShape,
  other: SelectShape,
): ((value: Expression) => Expression) | undefined {
  const [here, there] = [blockOf(one), blockOf(other)]
  if (here.lefts.length + there.lefts.length > 0 || here.items.length !== there.items.length) return undefined
  const ids = new Map<SourceId, SourceId>()
  for (const [at, item] of here.items.entries()) {
    const match = there.items[at]
    const isSame = item.kind === 'table' && match?.kind === 'table' && item.name === match.name
    if (!isSame || item.extras.length + match.extras.length > 0) return undefined
    ids.set(match.id, item.id)
  }
  const translate = (value: Expression): Expression =>
    replaceColumnsIn(value, (column) => {
      const source = column.source === undefined ? undefined : ids.get(column.source)
      return source === undefined ? undefined : { ...column, source }
    })
  const areSame = (some: readonly Expression[], others: readonly Expression[]): boolean =>
    some.length === others.length && others.every((value) => includesExpression(some, translate(value)))
  return areSame(here.where, there.where) && areSame(one.groupBy, other.groupBy) ? translate : undefined
}

/** Whether each key of the groups is equal on both sides: to one another, or to the same value. */
function areJoined(
  one: Grouped,
  other: Grouped,
  there: (value: Expression) => Expression,
  where: readonly Expression[],
): boolean {
  const equations = where.flatMap((condition): [Expression, Expression][] => {
    const [a, b] = condition.kind === 'apply' && condition.op === '=' ? condition.args : []
    return a === undefined || b === undefined
      ? []
      : [
          [a, b],
          [b, a],
        ]
  })
  const outputOf = (value: Expression, { id, query }: Grouped): Expression | undefined =>
    value.kind === 'column' && value.source === id && value.output !== undefined
      ? query.outputs[value.output]
      : undefined
  return one.query.groupBy.every((key) => {
    const isFirst = (value: Expression): boolean => {
      const output = outputOf(value, one)
      return output !== undefined && isSameExpression(output, key)
    }
    const isSecond = (value: Expression): boolean => {
      const output = outputOf(value, other)
      return output !== undefined && isSameExpression(there(output), key)
    }
    const partners = equations.flatMap(([a, b]) => (isFirst(a) ? [b] : []))
    return partners.some(
      (partner) =>
        isSecond(partner) || equations.some(([a, b]) => isSecond(a) && isSameExpression(b, partner)),
    )
  })
}
