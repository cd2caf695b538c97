import { isNonNullLiteral } from '../../conditions/boolean-expressions.js'
import type { Expression, SelectShape } from '../../shape/query-shape.js'
import { asSelect } from '../as-select.js'
import { replaceColumns } from '../column-references.js'
import { blockOf } from '../join-block.js'

/** A column of a derived table that is one literal in all of its rows is that literal wherever it is read. */
export function inlineConstantOutputs(select: SelectShape): SelectShape {
  const constants = new Map<string, Expression>()
  for (const item of blockOf(select).items) {
    if (item.kind !== 'derived' || item.extras.length > 0 || item.query.kind !== 'select') continue
    for (const [at, output] of item.query.outputs.entries())
      if (isNonNullLiteral(output)) constants.set(`${item.id} ${at}`, output)
  }
  if (constants.size === 0) return select
  const changed = replaceColumns(select, ({ source, output }) => constants.get(`${source} ${output}`))
  return asSelect(changed, select)
}
