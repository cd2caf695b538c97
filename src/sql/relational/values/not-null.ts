import { no } from '../../conditions/truth.js'
import { apply, type Expression, type SelectShape } from '../../shape/query-shape.js'
import { mapAll } from '../../shape/walk.js'
import { blockOf, withBlock } from '../block.js'
import type { Facts } from '../facts.js'
import { isNotNull } from '../nulls.js'

/** `x IS NOT NULL` and `x IS NULL` where other conditions reject NULL, or x never is. */
export function dropImpliedNotNull(select: SelectShape, facts: Facts): SelectShape {
  if (select.where === undefined) return select
  const block = blockOf(select)
  const isGiven = (value: Expression | undefined, condition: Expression): boolean =>
    value !== undefined &&
    isNotNull(
      value,
      facts,
      block.where.filter((other) => other !== condition),
    )
  const implied = block.where.find((condition) => {
    const [test] = condition.kind === 'apply' && condition.op === 'not' ? condition.args : []
    return test !== undefined && isGiven(testedBy(test), condition)
  })
  if (implied !== undefined)
    return withBlock(select, { ...block, where: block.where.filter((condition) => condition !== implied) })
  const where = mapAll(block.where, (condition) => {
    const options = condition.kind === 'apply' && condition.op === 'or' ? condition.args : [condition]
    const left = options.filter((option) => !isGiven(testedBy(option), condition))
    const [first = no] = left
    return left.length === options.length ? condition : left.length < 2 ? first : apply('or', ...left)
  })
  return where === block.where ? select : withBlock(select, { ...block, where })
}

/** The value of which a NULL test asks. */
function testedBy(test: Expression): Expression | undefined {
  return test.kind === 'apply' && test.op === 'is_null' ? test.args[0] : undefined
}
