import type { SelectShape } from '../../shape/query-shape.js'
import { blockOf, withBlock } from '../block.js'
import type { Facts } from '../facts.js'
import { isNotNull } from '../nulls.js'

/** `x IS NOT NULL` where other conditions reject NULL, or x never is. */
export function dropImpliedNotNull(select: SelectShape, facts: Facts): SelectShape {
  if (select.where === undefined) return select
  const block = blockOf(select)
  const implied = block.where.find((condition) => {
    if (condition.kind !== 'apply' || condition.op !== 'not') return false
    const [test] = condition.args
    const [value] = test?.kind === 'apply' && test.op === 'is_null' ? test.args : []
    return (
      value !== undefined &&
      isNotNull(
        value,
        facts,
        block.where.filter((other) => other !== condition),
      )
    )
  })
  return implied === undefined
    ? select
    : withBlock(select, { ...block, where: block.where.filter((condition) => condition !== implied) })
}
