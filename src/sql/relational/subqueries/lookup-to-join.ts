import { type Expression, isStar, type SelectShape } from '../../shape/query-shape.js'
import { hasQuery, mapAll, someDeep } from '../../shape/rewrite-query.js'
import { includesExpression, isSameExpression } from '../column-references.js'
import { dependencyClosure } from '../functional-dependencies.js'
import { blockOf, isPlainSelect, type JoinBlock, sourcesOf, withBlock } from '../join-block.js'
import { isAggregateCall, isScalar, isStable, mayAggregate } from '../known-functions.js'
import { isColumnOf, isNullWhere } from '../nullability.js'
import type { Facts } from '../table-facts.js'
import { mapResultValues } from '../values/map-result-values.js'

/** Operators whose operands are values: a subquery among them is its one value, or NULL. */
export const scalarOperators: ReadonlySet<string> = new Set([
  ...['=', '<>', '<', '<=', 'and', 'or', 'not', 'is_null', 'case', 'when', 'else', 'like'],
  ...[
    '+',
    '-',
    '*',
    '/',
    'fdiv',
    'neg',
    '||',
    'concat',
    'coalesce',
    'nullif',
    'cast',
    'round',
    'lower',
    'upper',
  ],
  ...['count', 'sum', 'avg', 'min', 'max'],
])

/** A subquery that reads the one row of a key, and what it shows of it. */
interface Lookup {
  readonly block: JoinBlock
  readonly value: Expression
}

/**
 * A value that is looked up by a key, `(SELECT c.name FROM c WHERE c.id = o.c_id)`, as a left join: without a partner
 * both are NULL. Of groups, where the key is one of theirs.
 */
export function lookupToJoin(select: SelectShape, facts: Facts): SelectShape {
  const { groupBy, having, outputs, orderBy } = select
  if (select.from === undefined || select.extras.length > 0 || outputs.some(isStar)) return select
  const block = blockOf(select)
  const values = [...outputs, ...(having ? [having] : []), ...orderBy.map(({ by }) => by)]
  if (![...values, ...groupBy, ...block.where].some(hasQuery)) return select
  const isOfRows = groupBy.length === 0 && !values.some(mayAggregate)
  let found: (Lookup & { readonly isGiven: boolean; readonly written: Expression }) | undefined
  const change = (value: Expression, isOfRow: boolean): Expression => {
    if (found !== undefined && value.kind === 'query')
      return isSameExpression(value, found.written) ? found.value : value
    if (value.kind === 'query') {
      const lookup = lookupOf(value, facts)
      const isGiven = !isOfRow && lookup !== undefined && isOfGroup(lookup, select)
      if (lookup === undefined || !(isOfRow || isGiven)) return value
      found = { ...lookup, isGiven, written: value }
      return lookup.value
    }
    if (value.kind !== 'apply' || !scalarOperators.has(value.op)) return value
    const args = mapAll(value.args, (arg) => change(arg, isOfRow || isAggregateCall(value)))
    return args === value.args ? value : { ...value, args }
  }
  const keys = mapAll(groupBy, (key) => change(key, true))
  const where = mapAll(block.where, (condition) => change(condition, true))
  const shown = mapResultValues(select, (value) => change(value, isOfRows))
  if (found === undefined) return select
  const { items, where: on } = found.block
  const joined = withBlock(shown, {
    items: block.items,
    lefts: [...block.lefts, { right: { items, lefts: [], conditions: [] }, on }],
    where,
  })
  return { ...joined, groupBy: found.isGiven ? [...keys, found.value] : keys }
}

function lookupOf({ query }: Expression & { kind: 'query' }, facts: Facts): Lookup | undefined {
  if (query.kind !== 'select' || !isPlainSelect(query) || query.distinct) return undefined
  const [value, ...others] = query.outputs
  if (value === undefined || others.length > 0 || mayAggregate(value) || !isScalar(value) || isStar(value))
    return undefined
  const block = blockOf(query)
  const own = sourcesOf(block)
  const [item, ...more] = block.items
  if (item?.kind !== 'table' || more.length > 0 || block.lefts.length > 0 || item.extras.length > 0)
    return undefined
  if (!isNullWhere(value, isColumnOf(own)) || !block.where.every(isStable)) return undefined
  // All other tables are constants to the subquery: with its conditions alone it reads one row at most.
  const { sources } = dependencyClosure([], block, facts)
  return sources.has(item.id) ? { block, value } : undefined
}

/** Whether what is looked up by is the same in all rows of a group. */
function isOfGroup({ block }: Lookup, { groupBy }: SelectShape): boolean {
  const inner = sourcesOf(block)
  const isFree = (part: Expression): boolean =>
    part.kind === 'column' &&
    (part.source === undefined || !inner.has(part.source)) &&
    !includesExpression(groupBy, part)
  return groupBy.length > 0 && !block.where.some((condition) => someDeep(condition, isFree))
}
