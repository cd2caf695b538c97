import { apply, type Expression, type SelectShape } from '../../shape/query-shape.js'
import { mapAll } from '../../shape/rewrite-query.js'
import { includesExpression } from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { blockOf, withBlock } from '../join-block.js'

/** `x IS NOT NULL` says nothing of a key that groups are joined by: the group of NULLs meets no row. */
export function dropRedundantKeyNotNull(select: SelectShape): SelectShape {
  const block = blockOf(select)
  const items = mapAll(block.items, (item) => {
    if (item.kind !== 'derived' || item.query.kind !== 'select' || item.query.groupBy.length === 0)
      return item
    const { id, query } = item
    if (query.limit !== undefined || query.offset !== undefined || query.outputs.some(hasWindow)) return item
    const isJoined = (key: Expression): boolean =>
      block.where.some((condition) => {
        if (condition.kind !== 'apply' || condition.op !== '=') return false
        return condition.args.some((side) => {
          const output =
            side.kind === 'column' && side.source === id && side.output !== undefined
              ? query.outputs[side.output]
              : undefined
          return output !== undefined && includesExpression([key], output)
        })
      })
    const tests = query.groupBy.filter(isJoined).map((key) => apply('not', apply('is_null', key)))
    const inner = blockOf(query)
    const where = inner.where.filter((condition) => !includesExpression(tests, condition))
    return where.length === inner.where.length
      ? item
      : { ...item, query: withBlock(query, { ...inner, where }) }
  })
  return items === block.items ? select : withBlock(select, { ...block, items })
}
