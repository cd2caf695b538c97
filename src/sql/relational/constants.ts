import type { Expression, SelectShape } from '../shape/query-shape.js'
import { plainName } from '../tables.js'
import { asSelect } from './as-select.js'
import { blockOf, withBlock } from './block.js'
import { type Column, replaceColumns, same } from './columns.js'
import type { Facts } from './facts.js'

/** A column that must equal a literal of its own type is that literal wherever else it is read. */
export function propagateConstants(select: SelectShape, facts: Facts): SelectShape {
  if (select.where === undefined || select.from === undefined) return select
  const block = blockOf(select)
  for (const condition of block.where) {
    const known = constantOf(condition, facts)
    if (known === undefined) continue
    const others = block.where.filter((other) => other !== condition)
    const rest = withBlock(select, { ...block, where: others })
    const replaced = asSelect(
      replaceColumns(rest, (column) => (same(column, known.column) ? known.value : undefined)),
      select,
    )
    if (replaced === rest) continue
    const changed = blockOf(replaced)
    return withBlock(replaced, { ...changed, where: [...changed.where, condition] })
  }
  return select
}

/** The column and the literal of its own type that a condition makes equal. */
export function constantOf(
  condition: Expression,
  facts: Facts,
): { readonly column: Column; readonly value: Expression } | undefined {
  if (condition.kind !== 'apply' || condition.op !== '=') return undefined
  const [a, b] = condition.args
  const [column, value] = a?.kind === 'column' ? [a, b] : b?.kind === 'column' ? [b, a] : []
  if (column === undefined || value?.kind !== 'literal' || column.source === undefined) return undefined
  const type = facts.tables.get(column.source)?.columns.get(plainName(column.name))?.type
  if (type === undefined || facts.dialect === 'mysql') return undefined
  if (value.type === 'number')
    return /int/u.test(type) && /^-?\d+$/u.test(value.value) ? { column, value } : undefined
  const isText = /text|varchar|string/u.test(type) || (facts.dialect === 'sqlite' && /char|clob/u.test(type))
  return value.type === 'text' && isText ? { column, value } : undefined
}
