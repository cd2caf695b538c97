import type { SelectShape } from '../../shape/query-shape.js'
import { asSelect } from '../as-select.js'
import { isSameExpression, replaceColumns } from '../column-references.js'
import { blockOf, withBlock } from '../join-block.js'
import type { Facts } from '../table-facts.js'

/** A table joined with itself on its key is read once: both rows are the same row. */
export function mergeSelfJoin(select: SelectShape, facts: Facts): SelectShape {
  const block = blockOf(select)
  for (const [at, item] of block.items.entries()) {
    if (item.kind !== 'table' || item.extras.length > 0) continue
    const table = facts.tables.get(item.id)
    for (const other of block.items.slice(at + 1)) {
      if (other.kind !== 'table' || other.name !== item.name || other.extras.length > 0) continue
      const key = table?.keys.find(({ columns }) =>
        columns.every((name) =>
          block.where.some((condition) => {
            const [a, b] = condition.kind === 'apply' && condition.op === '=' ? condition.args : []
            if (a?.kind !== 'column' || b?.kind !== 'column' || a.name !== b.name || a.name !== name)
              return false
            return (
              (a.source === item.id && b.source === other.id) ||
              (b.source === item.id && a.source === other.id)
            )
          }),
        ),
      )
      if (key === undefined) continue
      const without = withBlock(select, {
        ...block,
        items: block.items.filter((candidate) => candidate !== other),
      })
      const merged = asSelect(
        replaceColumns(without, (column) =>
          column.source === other.id ? { ...column, source: item.id } : undefined,
        ),
        select,
      )
      const changed = blockOf(merged)
      return withBlock(merged, {
        ...changed,
        where: changed.where.map((condition) => selfEqualityToNotNull(condition)),
      })
    }
  }
  return select
}

type Condition = ReturnType<typeof blockOf>['where'][number]

/** `x = x` says that x is not NULL. */
export function selfEqualityToNotNull(condition: Condition): Condition {
  if (condition.kind !== 'apply' || condition.op !== '=') return condition
  const [a, b] = condition.args
  if (a?.kind !== 'column' || b === undefined || !isSameExpression(a, b)) return condition
  return { kind: 'apply', op: 'not', args: [{ kind: 'apply', op: 'is_null', args: [a] }] }
}
