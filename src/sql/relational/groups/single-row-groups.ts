import { numberLiteral } from '../../functions/function-table.js'
import { apply, conjuncts, type Expression, isStar, type SelectShape } from '../../shape/query-shape.js'
import { mapAll } from '../../shape/rewrite-query.js'
import { readsOnlyOuterColumns } from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { isKey } from '../functional-dependencies.js'
import { blockOf, sourcesOf, withBlock } from '../join-block.js'
import { isAggregateCall, isScalar, mayAggregate } from '../known-functions.js'
import { isNotNull } from '../nullability.js'
import type { Facts } from '../table-facts.js'
import { hasGroupingSets } from './grouping-sets.js'

/** Groups of one row each, which a key tells apart: their sum is the value of that row, and HAVING is WHERE. */
export function ungroupSingleRows(select: SelectShape, facts: Facts): SelectShape {
  const { groupBy, outputs, orderBy } = select
  if (groupBy.length === 0 || select.extras.length > 0 || select.qualify !== undefined) return select
  if (hasGroupingSets(select) || outputs.some(isStar)) return select
  const having = conjuncts(select.having)
  const values = [...outputs, ...having, ...orderBy.map(({ by }) => by)]
  if (values.some(hasWindow) || !values.some(mayAggregate)) return select
  const block = blockOf(select)
  if (!isKey(groupBy, block, facts)) return select
  const own = sourcesOf(block)
  const change = (value: Expression): Expression => {
    if (value.kind !== 'apply') return value
    if (isAggregateCall(value)) {
      const [only] = value.args
      // An aggregate that reads only columns of an outer query belongs to that query.
      const isOwn = only === undefined || !readsOnlyOuterColumns(only, own)
      return (isOwn ? ofOneRow(value, facts, block.where) : undefined) ?? value
    }
    const args = mapAll(value.args, change)
    return args === value.args ? value : { ...value, args }
  }
  const rows = values.map(change)
  if (rows.some(mayAggregate)) return select
  const [shown, tests] = [
    rows.slice(0, outputs.length),
    rows.slice(outputs.length, outputs.length + having.length),
  ]
  const order = rows.slice(outputs.length + having.length)
  const plain = { ...select, groupBy: [], having: undefined, outputs: shown }
  return {
    ...withBlock(plain, { ...block, where: [...block.where, ...tests] }),
    orderBy: orderBy.map((item, at) => ({ ...item, by: order[at] ?? item.by })),
  }
}

/** An average of integers need not be one, so that it is left. */
function ofOneRow(
  { op, args }: Expression & { kind: 'apply' },
  facts: Facts,
  given: readonly Expression[],
): Expression | undefined {
  const [first, ...others] = args
  if (others.length > 0) return undefined
  const [value, ...more] = first?.kind === 'apply' && first.op === 'distinct' ? first.args : [first]
  if (op === 'count') {
    const isRow = value === undefined || (value.kind === 'literal' && value.type !== 'null')
    if (more.length > 0) return undefined
    if (isRow || isNotNull(value, facts, given)) return numberLiteral('1')
    return isScalar(value)
      ? apply(
          'case',
          apply('when', apply('is_null', value), numberLiteral('0')),
          apply('else', numberLiteral('1')),
        )
      : undefined
  }
  const isValue = (op === 'sum' || op === 'min' || op === 'max') && more.length === 0
  return isValue && value !== undefined && isScalar(value) ? value : undefined
}
