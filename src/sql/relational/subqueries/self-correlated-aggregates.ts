import { type Expression, isStar, type SelectShape } from '../../shape/query-shape.js'
import { mapAll } from '../../shape/rewrite-query.js'
import { blockOf, isPlainSelect, type JoinBlock, withBlock } from '../join-block.js'
import { mayAggregate, plainAggregates } from '../known-functions.js'
import type { Facts } from '../table-facts.js'
import { mapResultValues } from '../values/map-result-values.js'
import { findCorrelatedSelfRead } from './correlated-self-reads.js'
import { type GroupedSubquery, groupByCorrelation } from './scalar-subquery-to-join.js'

/**
 * An aggregate that is shown over the rows which agree with this row in some columns, of the same table, as a join with the
 * aggregate of every group: the row itself is one of them, so that each finds its group.
 */
export function selfCorrelatedAggregateToJoin(select: SelectShape, facts: Facts): SelectShape {
  const { outputs, orderBy, from } = select
  if (from === undefined || !isPlainSelect({ ...select, limit: undefined, offset: undefined })) return select
  const values = [...outputs, ...orderBy.map(({ by }) => by)]
  if (values.some((value) => isStar(value) || mayAggregate(value))) return select
  const block = blockOf(select)
  let found: GroupedSubquery | undefined
  const change = (value: Expression): Expression => {
    if (value.kind === 'query') {
      const { query } = value
      if (found !== undefined || query.kind !== 'select' || !isSelfCorrelated(query, block, facts))
        return value
      found = groupByCorrelation(query, facts.nextSourceId())
      return found?.value ?? value
    }
    if (value.kind !== 'apply' || !scalarOperators.has(value.op)) return value
    const args = mapAll(value.args, change)
    return args === value.args ? value : { ...value, args }
  }
  const shown = mapResultValues(select, change)
  if (found === undefined) return select
  const { node, equations } = found
  return withBlock(shown, {
    ...block,
    items: [...block.items, node],
    where: [...block.where, ...equations],
  })
}

const scalarOperators: ReadonlySet<string> = new Set([
  '+',
  '-',
  '*',
  '/',
  'fdiv',
  'cast',
  'round',
  'coalesce',
  'nullif',
])

/** Whether the subquery aggregates rows of a table around it, of which it surely reads this row. */
function isSelfCorrelated(query: SelectShape, outer: JoinBlock, facts: Facts): boolean {
  const [output, ...others] = query.outputs
  const isCall = output?.kind === 'apply' && plainAggregates.has(output.op) && output.args.length === 1
  if (!isCall || others.length > 0 || !isPlainSelect(query) || query.distinct) return false
  return findCorrelatedSelfRead(query, outer, facts, blockOf(query).where) !== undefined
}
