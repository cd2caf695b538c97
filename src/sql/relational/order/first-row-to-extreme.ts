import { isNumberLiteral } from '../../functions/function-table.js'
import {
  apply,
  conjunction,
  conjuncts,
  type Expression,
  emptySelect,
  type SelectShape,
} from '../../shape/query-shape.js'
import { renumberSources } from '../../shape/source-ids.js'
import { isSameExpression } from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { isKey } from '../functional-dependencies.js'
import { hasGroupingSets } from '../groups/grouping-sets.js'
import { blockOf } from '../join-block.js'
import { certainlyAggregates, isStable, mayAggregate } from '../known-functions.js'
import { describeValue, isNotNull } from '../nullability.js'
import type { Facts } from '../table-facts.js'

/**
 * `ORDER BY x DESC LIMIT 1` as `WHERE x = (SELECT max(x) …)`, of groups in HAVING: the same row where no two rows share
 * the first place, which a key tells or is assumed.
 */
export function firstRowToExtreme(select: SelectShape, facts: Facts): SelectShape {
  const [item, ...further] = select.orderBy
  const isFirst = isNumberLiteral(select.limit, '1') && select.offset === undefined
  if (!isFirst || item === undefined || further.length > 0 || item.extras.length > 0) return select
  if (select.from === undefined || select.qualify !== undefined || select.extras.length > 0) return select
  if (select.distinct || hasGroupingSets(select) || !isStable(item.by) || hasWindow(item.by)) return select
  if (!select.outputs.every((output) => isStable(output) && !hasWindow(output))) return select
  // As a scalar subquery the first of an order is an aggregate.
  if (select.outputs.every((output) => isSameExpression(output, item.by))) return select
  const isGrouped = select.groupBy.length > 0
  if (isGrouped ? !certainlyAggregates(item.by) : aggregates(select)) return select
  const block = blockOf(select)
  const isUnique = !isGrouped && isKey([item.by], block, facts)
  const isFull =
    isNotNull(item.by, facts, block.where) ||
    facts.assumptions.assume(
      'nulls',
      `${describeValue(item.by, facts)}, which orders the rows, is never NULL`,
    )
  if (
    !isFull ||
    !(isUnique || facts.assumptions.assume('ties', describeTie(item.by, item.descending, facts)))
  )
    return select
  const value = scalar(select, item.by, item.descending ? 'max' : 'min', facts)
  const test = apply('=', item.by, value)
  const changed = { ...select, orderBy: [], limit: undefined }
  return isGrouped
    ? { ...changed, having: conjunction([...conjuncts(select.having), test]) }
    : { ...changed, where: conjunction([...conjuncts(select.where), test]) }
}

function aggregates(select: SelectShape): boolean {
  return (
    select.having !== undefined ||
    [...select.outputs, ...select.orderBy.map(({ by }) => by)].some(mayAggregate)
  )
}

function describeTie(by: Expression, descending: boolean, facts: Facts): string {
  const place =
    by.kind === 'column'
      ? `${descending ? 'largest' : 'smallest'} ${describeValue(by, facts)}`
      : 'first place'
  return `no two rows share the ${place}`
}

function scalar(select: SelectShape, by: Expression, op: 'max' | 'min', facts: Facts): Expression {
  const { from, where, groupBy, having } = select
  const values: SelectShape = {
    ...emptySelect,
    from,
    where,
    groupBy,
    having,
    outputs: [by],
    names: [undefined],
  }
  if (groupBy.length === 0)
    return {
      kind: 'query',
      query: renumberSources({ ...values, outputs: [apply(op, by)] }, () => facts.nextSourceId()),
    }
  const id = facts.nextSourceId()
  const column: Expression = { kind: 'column', source: id, name: 'column 1', output: 0 }
  const query: SelectShape = {
    ...emptySelect,
    from: { kind: 'derived', id, query: values, alias: undefined, extras: [] },
    outputs: [apply(op, column)],
    names: [undefined],
  }
  return { kind: 'query', query: renumberSources(query, () => facts.nextSourceId()) }
}
