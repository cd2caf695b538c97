import { isNull } from '../../conditions/boolean-expressions.js'
import { conjunction, conjuncts, type Expression, isStar, type SelectShape } from '../../shape/query-shape.js'
import { mapAll } from '../../shape/rewrite-query.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { certainlyAggregates } from '../known-functions.js'
import { hasGroupingSets } from './grouping-sets.js'

const zero: Expression = { kind: 'literal', type: 'number', value: '0' }

/**
 * `count(NULL)` is 0. Without GROUP BY it also makes the rows one: where no other aggregate does, the row has no need of
 * the tables any more.
 */
export function foldCountOfNull(select: SelectShape): SelectShape {
  if (select.extras.length > 0 || select.qualify !== undefined || hasGroupingSets(select)) return select
  const outputs = mapAll(select.outputs, withZero)
  const having = mapAll(conjuncts(select.having), withZero)
  if (
    outputs === select.outputs &&
    having.length === conjuncts(select.having).length &&
    !isChanged(select, having)
  )
    return select
  const counted: SelectShape = { ...select, outputs, having: conjunction(having) }
  if (select.groupBy.length > 0) return counted
  if (outputs.some(certainlyAggregates)) return counted
  const isConstant = outputs.every((output) => output.kind === 'literal') && select.having === undefined
  if (
    !isConstant ||
    select.orderBy.length > 0 ||
    outputs.some((output) => hasWindow(output) || isStar(output))
  )
    return select
  return { ...counted, from: undefined, where: undefined, distinct: false }
}

function isChanged(select: SelectShape, having: readonly Expression[]): boolean {
  return conjuncts(select.having).some((condition, at) => condition !== having[at])
}

/** Replaces counts of NULL by 0, except over a window, where the count is given for each row. */
function withZero(value: Expression): Expression {
  if (value.kind !== 'apply' || value.op === 'over') return value
  const [only] = value.args
  const counted =
    only?.kind === 'apply' && only.op === 'distinct' && only.args.length === 1 ? only.args[0] : only
  if (value.op === 'count' && value.args.length === 1 && isNull(counted)) return zero
  const args = mapAll(value.args, withZero)
  return args === value.args ? value : { ...value, args }
}
