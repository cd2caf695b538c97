import { isNull, trueLiteral } from '../../conditions/boolean-expressions.js'
import {
  apply,
  type Expression,
  isStar,
  type OrderItem,
  type QueryShape,
  type SelectShape,
  type SourceId,
  word,
} from '../../shape/query-shape.js'
import { mapAll, someInQuery } from '../../shape/rewrite-query.js'
import { renumberSources } from '../../shape/source-ids.js'
import { includesExpression, isSameExpression } from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { certainlyAggregates, isAggregateCall, isStable } from '../known-functions.js'

/** Functions that say which keys a row is grouped by. */
const groupingFunctions: ReadonlySet<string> = new Set(['grouping', 'grouping_id'])

/** More grouping sets are kept as written. */
const maxSets = 32

const setOperators: ReadonlySet<string> = new Set(['rollup', 'cube', 'grouping sets'])

/** Whether a GROUP BY has several sets of keys. */
export function hasGroupingSets(select: SelectShape): boolean {
  return select.groupBy.some(isSetOperator)
}

/** Whether any GROUP BY in the query has. */
export function someGroupingSets(query: QueryShape): boolean {
  return someInQuery(query, isSetOperator)
}

function isSetOperator(key: Expression): key is Expression & { kind: 'apply' } {
  return key.kind === 'apply' && setOperators.has(key.op)
}

/**
 * GROUPING SETS, ROLLUP and CUBE as UNION ALL of a grouped query for each set, in which the keys of the other sets
 * are NULL. Must come before columns are replaced by what they stand for: two names of one column are two keys.
 */
export function expandGroupingSets(query: QueryShape, fresh: () => SourceId): QueryShape {
  if (query.kind !== 'select') return query
  if (!hasGroupingSets(query)) return withoutEmptyKeys(query)
  return unionOfGroupingSets(query, fresh) ?? withKeysByNumber(query)
}

/** `GROUP BY ()` is one group of all rows, also where there are none. */
function withoutEmptyKeys(query: SelectShape): SelectShape {
  const groupBy = query.groupBy.filter((key) => !(isTuple(key) && key.args.length === 0))
  if (groupBy.length === query.groupBy.length) return query
  const isOne = groupBy.length === 0 && !query.outputs.some(certainlyAggregates)
  return { ...query, groupBy, having: query.having ?? (isOne ? trueLiteral : undefined) }
}

function isTuple(key: Expression): key is Expression & { kind: 'apply' } {
  return key.kind === 'apply' && key.op === 'tuple'
}

function unionOfGroupingSets(query: SelectShape, fresh: () => SourceId): QueryShape | undefined {
  if (query.qualify !== undefined || query.extras.length > 0) return undefined
  const values = [...query.outputs, ...(query.having ? [query.having] : [])]
  if (values.some((value) => isStar(value) || hasWindow(value) || !isStable(value))) return undefined
  const sets = setsOf(query.groupBy)
  const orderBy = byOutputNumber(query)
  if (sets === undefined || orderBy === undefined || sets.length > maxSets) return undefined
  const [only] = sets
  const isWritable = only === undefined || only.length > 0 || query.outputs.some(certainlyAggregates)
  if (sets.length === 1 && only !== undefined && isWritable) return { ...query, groupBy: only }
  const keys = sets.flat()
  const operands = sets.map((set): QueryShape => {
    const others = keys.filter((key) => !includesExpression(set, key))
    const value = (part: Expression): Expression => valueIn(part, set, others)
    const outputs = query.outputs.map(value)
    // The empty set has one row, which without an aggregate only HAVING can say.
    const isOne = set.length === 0 && !outputs.some(certainlyAggregates)
    const grouped: SelectShape = {
      ...query,
      distinct: false,
      outputs,
      groupBy: set,
      having: query.having === undefined ? (isOne ? trueLiteral : undefined) : value(query.having),
      orderBy: [],
      limit: undefined,
      offset: undefined,
      positional: true,
    }
    return renumberSources(grouped, fresh)
  })
  const { limit, offset } = query
  return {
    kind: 'set',
    operation: 'union',
    all: !query.distinct,
    operands,
    orderBy,
    limit,
    offset,
    extras: [],
  }
}

/**
 * A query that cannot be written set by set, with its keys by their number where it shows them: in the rows of a set
 * without the key they are NULL, whatever is known of the column.
 */
function withKeysByNumber(query: SelectShape): SelectShape {
  const keys = query.groupBy.flatMap(keysIn)
  const value = (part: Expression): Expression => {
    const at = keys.findIndex((key) => isSameExpression(key, part))
    if (at >= 0) return apply('key_of_sets', word(String(at + 1)))
    if (part.kind !== 'apply' || isAggregateCall(part)) return part
    const args = mapAll(part.args, value)
    return args === part.args ? part : { ...part, args }
  }
  // A column that is no key cannot be shown there: its name is that of an output.
  const named = (part: Expression): Expression => {
    if (part.kind === 'apply')
      return isAggregateCall(part) ? part : { ...part, args: mapAll(part.args, named) }
    if (part.kind !== 'column' || includesExpression(keys, part)) return part
    return query.outputs[query.names.indexOf(part.name)] ?? part
  }
  return {
    ...query,
    outputs: mapAll(query.outputs, value),
    having: query.having && value(query.having),
    qualify: query.qualify && value(query.qualify),
    orderBy: query.orderBy.map((item) => ({ ...item, by: value(named(item.by)) })),
  }
}

/** The keys in the order in which they are written. */
function keysIn(element: Expression): readonly Expression[] {
  return isSetOperator(element) || isTuple(element) ? element.args.flatMap(keysIn) : [element]
}

/** An expression in the rows of one set: the keys of others are NULL, GROUPING() says which. */
function valueIn(part: Expression, set: readonly Expression[], others: readonly Expression[]): Expression {
  if (includesExpression(set, part)) return part
  if (includesExpression(others, part)) return apply('null')
  if (part.kind !== 'apply' || isAggregateCall(part)) return part
  if (groupingFunctions.has(part.op)) {
    const bits = part.args.map((key) => (includesExpression(set, key) ? '0' : '1')).join('')
    return { kind: 'literal', type: 'number', value: String(Number.parseInt(bits, 2)) }
  }
  const args = mapAll(part.args, (arg) => valueIn(arg, set, others))
  return args === part.args ? part : { ...part, args }
}

/** The sets of keys: the product of what the elements of GROUP BY say; undefined for forms not known. */
function setsOf(groupBy: readonly Expression[]): readonly (readonly Expression[])[] | undefined {
  let sets: readonly (readonly Expression[])[] = [[]]
  for (const element of groupBy) {
    const own = setsOfElement(element)
    if (own === undefined || sets.length * own.length > maxSets) return undefined
    sets = sets.flatMap((set) =>
      own.map((other) => [...set, ...other.filter((key) => !includesExpression(set, key))]),
    )
  }
  return sets
}

function setsOfElement(element: Expression): readonly (readonly Expression[])[] | undefined {
  if (!isSetOperator(element)) return [keysOf(element)]
  const { op, args } = element
  if (args.length === 0) return undefined
  if (op === 'grouping sets') {
    const sets = args.map(setsOfElement)
    return sets.every((set) => set !== undefined) ? sets.flatMap((set) => set ?? []) : undefined
  }
  const keys = args.map(keysOf)
  if (op === 'rollup') return [...keys, []].map((_, at) => keys.slice(0, keys.length - at).flat())
  if (keys.length > 5) return undefined
  const subsets = [...Array(2 ** keys.length).keys()]
  return subsets.map((subset) => keys.filter((_, at) => (subset >> at) % 2 === 0).flat())
}

function keysOf(element: Expression): readonly Expression[] {
  return isTuple(element) ? element.args : [element]
}

/** ORDER BY by the numbers of the outputs, as after a set operation; undefined where it orders by something else. */
function byOutputNumber({ orderBy, outputs }: SelectShape): readonly OrderItem[] | undefined {
  const items = orderBy.map((item): OrderItem | undefined => {
    const at = outputs.findIndex((output) => isSameExpression(output, item.by))
    return at < 0 || isNull(item.by) ? undefined : { ...item, by: apply('output', word(String(at + 1))) }
  })
  return items.every((item) => item !== undefined) ? items.filter((item) => item !== undefined) : undefined
}
