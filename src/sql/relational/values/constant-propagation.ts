import { conjuncts, type Expression, type SelectShape } from '../../shape/query-shape.js'
import { someDeep } from '../../shape/rewrite-query.js'
import { asSelect } from '../as-select.js'
import { type Column, isSameExpression, replaceColumns } from '../column-references.js'
import { hasGroupingSets } from '../groups/grouping-sets.js'
import { blockOf, withBlock } from '../join-block.js'
import { certainlyAggregates, isAggregateCall } from '../known-functions.js'
import { declaredType, type Facts } from '../table-facts.js'

/** A column that must equal a literal of its own type is that literal wherever else it is read. */
export function propagateConstants(select: SelectShape, facts: Facts): SelectShape {
  if (select.where === undefined || select.from === undefined) return select
  // A key is NULL in the rows of the sets that are without it.
  if (hasGroupingSets(select)) return select
  const block = blockOf(select)
  for (const condition of block.where) {
    const known = constantOf(condition, facts)
    if (known === undefined) continue
    const others = block.where.filter((other) => other !== condition)
    const rest = withBlock(select, { ...block, where: others })
    const replaced = asSelect(
      replaceColumns(rest, (column) => (isSameExpression(column, known.column) ? known.value : undefined)),
      select,
    )
    // Aggregates alone have a row where there are none to choose, and there the column is NULL.
    if (mayBeNoRows(select) && readsOutsideAggregates(select, known.column)) continue
    if (replaced === rest) continue
    const changed = blockOf(replaced)
    return withBlock(replaced, { ...changed, where: [...changed.where, condition] })
  }
  return select
}

/** Without GROUP BY aggregates have a row also where the conditions choose none. */
function mayBeNoRows(select: SelectShape): boolean {
  return (
    select.groupBy.length === 0 && (select.having !== undefined || select.outputs.some(certainlyAggregates))
  )
}

/** SQLite has it read the column of some row. */
function readsOutsideAggregates(select: SelectShape, column: Column): boolean {
  const isRead = (value: Expression): boolean => {
    if (value.kind === 'apply') return !isAggregateCall(value) && value.args.some(isRead)
    return someDeep(value, (part) => isSameExpression(part, column))
  }
  return [...select.outputs, ...conjuncts(select.having), ...select.orderBy.map(({ by }) => by)].some(isRead)
}

/** The column and the literal of its own type that a condition makes equal. */
export function constantOf(
  condition: Expression,
  facts: Facts,
): { readonly column: Column; readonly value: Expression } | undefined {
  if (condition.kind !== 'apply' || condition.op !== '=') return undefined
  const [a, b] = condition.args
  const [column, value] = a?.kind === 'column' ? [a, b] : b?.kind === 'column' ? [b, a] : []
  if (column === undefined || value?.kind !== 'literal') return undefined
  const type = declaredType(column, facts)
  if (type === undefined || facts.dialect === 'mysql') return undefined
  if (value.type === 'number')
    return /int/u.test(type) && /^-?\d+$/u.test(value.value) ? { column, value } : undefined
  const isText = /text|varchar|string/u.test(type) || (facts.dialect === 'sqlite' && /char|clob/u.test(type))
  return value.type === 'text' && isText ? { column, value } : undefined
}
