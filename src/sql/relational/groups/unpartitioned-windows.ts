import {
  type Expression,
  emptySelect,
  isStar,
  type QueryShape,
  type SelectShape,
} from '../../shape/query-shape.js'
import { mapAll } from '../../shape/rewrite-query.js'
import { renumberSources } from '../../shape/source-ids.js'
import { readsOnlyOuterColumns } from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { blockOf, sourcesOf } from '../join-block.js'
import { certainlyAggregates, isStable, plainAggregates } from '../known-functions.js'
import type { Facts } from '../table-facts.js'
import { mapResultValues } from '../values/map-result-values.js'

type Call = Expression & { kind: 'apply' }

/**
 * An aggregate over a window of all rows as a scalar subquery of the same rows: `a / sum(a) OVER ()` is
 * `a / (SELECT sum(a) FROM …)`. Of groups, the sum of their counts or sums is that of all rows.
 */
export function unpartitionedWindowToScalar(select: SelectShape, facts: Facts): SelectShape {
  const { from, groupBy, having, extras } = select
  if (from === undefined || having !== undefined || extras.length > 0) return select
  const values = [...select.outputs, ...select.orderBy.map(({ by }) => by)]
  if (!values.some(hasWindow)) return select
  if (select.outputs.some((output) => isStar(output) || !isStable(output))) return select
  const isGrouped = groupBy.length > 0
  if (!isGrouped && values.some(certainlyAggregates)) return select
  const own = sourcesOf(blockOf(select))
  const change = (value: Expression): Expression => {
    if (value.kind !== 'apply') return value
    const call = windowOfAll(value)
    const total = call && (isGrouped ? ofGroups(call) : call)
    // An aggregate that reads only columns of an outer query belongs to that query.
    if (total !== undefined && !readsOnlyOuterColumns(total, own))
      return { kind: 'query', query: scalar(total, select, facts) }
    const args = mapAll(value.args, change)
    return args === value.args ? value : { ...value, args }
  }
  return mapResultValues(select, change)
}

/** The aggregate in `sum(x) OVER ()`. */
function windowOfAll({ op, args }: Call): Call | undefined {
  const [call] = args
  const isWhole = op === 'over' && args.length === 1 && call?.kind === 'apply'
  return isWhole && plainAggregates.has(call.op) && call.args.length === 1 ? call : undefined
}

function ofGroups({ op, args }: Call): Call | undefined {
  const [inner] = args
  const isSum = op === 'sum' && inner?.kind === 'apply' && inner.args.length === 1
  return isSum && (inner.op === 'count' || inner.op === 'sum') && !isDistinct(inner) ? inner : undefined
}

function isDistinct({ args }: Call): boolean {
  return args.some((arg) => arg.kind === 'apply' && arg.op === 'distinct')
}

function scalar(total: Call, select: SelectShape, facts: Facts): QueryShape {
  const { from, where } = select
  const query = { ...emptySelect, from, where, outputs: [total], names: [undefined] }
  return renumberSources(query, () => facts.nextSourceId())
}
