import { apply, type Expression, type SelectShape } from '../../shape/query-shape.js'
import { mapAll } from '../../shape/rewrite-query.js'
import { isSameExpression } from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { blockOf, sourcesOf, withBlock } from '../join-block.js'
import { isAggregateCall, mayAggregate, plainAggregates } from '../known-functions.js'

/**
 * Where all rows are one group and every aggregate is of one column, rows in which it is NULL count for nothing: `count(*)`
 * of the others is `count(x)`.
 */
export function notNullFilterToCount(select: SelectShape): SelectShape {
  const { groupBy, having, qualify, extras, orderBy, distinct, outputs } = select
  if (select.where === undefined || groupBy.length > 0 || having !== undefined || qualify !== undefined)
    return select
  if (extras.length > 0 || orderBy.length > 0 || distinct || !outputs.some(mayAggregate)) return select
  const block = blockOf(select)
  const own = sourcesOf(block)
  for (const condition of block.where) {
    const value = notNullColumn(condition)
    if (value?.source === undefined || !own.has(value.source)) continue
    if (!outputs.every((output) => !hasWindow(output) && isOf(output, value))) continue
    const where = block.where.filter((other) => other !== condition)
    return {
      ...withBlock(select, { ...block, where }),
      outputs: mapAll(outputs, (output) => countStarToCountColumn(output, value)),
    }
  }
  return select
}

function notNullColumn(condition: Expression): (Expression & { kind: 'column' }) | undefined {
  const [inner] = condition.kind === 'apply' && condition.op === 'not' ? condition.args : []
  const [value] = inner?.kind === 'apply' && inner.op === 'is_null' ? inner.args : []
  return value?.kind === 'column' && value.name !== '*' ? value : undefined
}

function isAllRows(value: Expression | undefined): boolean {
  return value?.kind === 'literal' && value.type === 'word' && value.value === '*'
}

/** Whether all that it takes from the rows are aggregates of the value, or the number of rows. */
function isOf(output: Expression, value: Expression): boolean {
  if (output.kind === 'literal') return true
  if (output.kind !== 'apply') return false
  if (!isAggregateCall(output)) return output.args.every((arg) => isOf(arg, value))
  const [arg] = output.args
  const of = arg?.kind === 'apply' && arg.op === 'distinct' && arg.args.length === 1 ? arg.args[0] : arg
  if (of === undefined || !plainAggregates.has(output.op) || output.args.length > 1) return false
  return isSameExpression(of, value) || (output.op === 'count' && isAllRows(of))
}

function countStarToCountColumn(output: Expression, value: Expression): Expression {
  if (output.kind !== 'apply') return output
  if (output.op === 'count' && isAllRows(output.args[0])) return apply('count', value)
  const args = mapAll(output.args, (arg) => countStarToCountColumn(arg, value))
  return args === output.args ? output : { ...output, args }
}
