import { apply, conjuncts, type Expression, isStar, type SelectShape } from '../../shape/query-shape.js'
import { reads } from '../column-references.js'
import { hasWindow, isRowSet } from '../duplicate-insensitivity.js'
import { blockOf } from '../join-block.js'
import { isAggregateCall, mayAggregate } from '../known-functions.js'
import { assumeNotNull, isNotNull } from '../nullability.js'
import type { Facts } from '../table-facts.js'
import { hasGroupingSets } from './grouping-sets.js'

/** Aggregates that count each of the rows' values, and so differ under DISTINCT. */
const distinguishing: ReadonlySet<string> = new Set(['count', 'sum', 'avg'])

/**
 * Aggregates of one column over a derived table of distinct rows, whose other columns are the grouping keys, as
 * DISTINCT aggregates over all rows: in each group the rows differ in that column alone.
 */
export function distinctRowsToAggregates(select: SelectShape, facts: Facts): SelectShape {
  const { from } = select
  if (from?.kind !== 'derived' || from.extras.length > 0 || from.query.kind !== 'select') return select
  const { id, query } = from
  if (!query.distinct || !isRowSet(query) || query.outputs.some(isStar)) return select
  if (select.extras.length > 0 || select.qualify !== undefined || hasGroupingSets(select)) return select
  const keys = select.groupBy.map((key) =>
    key.kind === 'column' && key.source === id ? key.output : undefined,
  )
  const others = query.outputs.flatMap((_, at) => (keys.includes(at) ? [] : [at]))
  const [only] = others
  const value = only === undefined ? undefined : query.outputs[only]
  if (only === undefined || others.length > 1 || value === undefined || keys.includes(undefined))
    return select
  const values = [...select.outputs, ...conjuncts(select.having), ...select.orderBy.map(({ by }) => by)]
  if (values.some((part) => hasWindow(part) || isStar(part)) || !values.some(mayAggregate)) return select
  const column: Expression = {
    kind: 'column',
    source: id,
    name: query.names[only] ?? `${only}`,
    output: only,
  }
  const isNeverNull = (): boolean =>
    isNotNull(value, facts, blockOf(query).where) || (value.kind === 'column' && assumeNotNull(value, facts))
  const distinct = (part: Expression): Expression | undefined => distinctForm(part, id, column, isNeverNull)
  const outputs = values.map(distinct)
  if (!outputs.every((output) => output !== undefined)) return select
  const known = outputs.filter((output) => output !== undefined)
  const width = select.outputs.length
  const having = conjuncts(select.having).length
  const conditions = known.slice(width, width + having)
  return {
    ...select,
    from: { ...from, query: { ...query, distinct: false } },
    outputs: known.slice(0, width),
    having: conditions.length > 1 ? apply('and', ...conditions) : conditions[0],
    orderBy: select.orderBy.map((item, at) => ({ ...item, by: known[width + having + at] ?? item.by })),
  }
}

/** The value with its aggregates under DISTINCT; undefined where an aggregate is of something else. */
function distinctForm(
  value: Expression,
  id: number,
  column: Expression,
  isNeverNull: () => boolean,
): Expression | undefined {
  if (value.kind === 'query') return reads(value, new Set([id])) ? undefined : value
  if (value.kind !== 'apply') return value
  if (isAggregateCall(value)) {
    const [argument, another] = value.args
    if (argument === undefined || another !== undefined) return undefined
    if (value.op === 'min' || value.op === 'max') return value
    if (!distinguishing.has(value.op)) return undefined
    const isRow = argument.kind === 'literal' && argument.type === 'word'
    if (isRow) return isNeverNull() ? apply('count', apply('distinct', column)) : undefined
    const isColumn =
      argument.kind === 'column' &&
      argument.source === id &&
      column.kind === 'column' &&
      argument.output === column.output
    return isColumn ? apply(value.op, apply('distinct', argument)) : undefined
  }
  const args = value.args.map((arg) => distinctForm(arg, id, column, isNeverNull))
  if (!args.every((arg) => arg !== undefined)) return undefined
  return { ...value, args: args.filter((arg) => arg !== undefined) }
}
