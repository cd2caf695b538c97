import { isNull } from '../conditions/truth.js'
import {
  apply,
  type Expression,
  isStar,
  type OrderItem,
  type QueryShape,
  type SelectShape,
  type SourceId,
  word,
} from '../shape/query-shape.js'
import { renumbered } from '../shape/renumber.js'
import { mapAll } from '../shape/walk.js'
import { includes, same } from './columns.js'
import { hasWindow } from './duplicates.js'
import { certainlyAggregates, isAggregateCall, isStable } from './functions-known.js'

/** Functions that say which keys a row is grouped by. */
const groupingFunctions: ReadonlySet<string> = new Set(['grouping', 'grouping_id'])

/** More grouping sets are kept as written. */
const maxSets = 32

const setOperators: ReadonlySet<string> = new Set(['rollup', 'cube', 'grouping sets'])

/** Whether a GROUP BY has several sets of keys. */
export function hasGroupingSets(select: SelectShape): boolean {
  return select.groupBy.some(isSetOperator)
}

function isSetOperator(key: Expression): key is Expression & { kind: 'apply' } {
  return key.kind === 'apply' && setOperators.has(key.op)
}

/**
 * GROUPING SETS, ROLLUP and CUBE as UNION ALL of a grouped query for each set, in which the keys of the other sets
 * are NULL. Must come before columns are replaced by what they stand for: two names of one column are two keys.
 */
export function expandGroupingSets(query: QueryShape, fresh: () => SourceId): QueryShape {
  if (query.kind !== 'select' || !hasGroupingSets(query)) return query
  if (query.distinct || query.qualify !== undefined || query.extras.length > 0) return query
  const values = [...query.outputs, ...(query.having ? [query.having] : [])]
  if (values.some((value) => isStar(value) || hasWindow(value) || !isStable(value))) return query
  const sets = setsOf(query.groupBy)
  const orderBy = byOutputNumber(query)
  // Without an aggregate the row of the empty set cannot be written.
  const isWritable = query.outputs.some(certainlyAggregates) || sets?.every((set) => set.length > 0) === true
  if (sets === undefined || orderBy === undefined || sets.length > maxSets || !isWritable) return query
  const [only] = sets
  if (only !== undefined && sets.length === 1) return { ...query, groupBy: only }
  const keys = sets.flat()
  const operands = sets.map((set): QueryShape => {
    const others = keys.filter((key) => !includes(set, key))
    const value = (part: Expression): Expression => valueIn(part, set, others)
    const grouped: SelectShape = {
      ...query,
      outputs: query.outputs.map(value),
      groupBy: set,
      having: query.having && value(query.having),
      orderBy: [],
      limit: undefined,
      offset: undefined,
      positional: true,
    }
    return renumbered(grouped, fresh)
  })
  const { limit, offset } = query
  return { kind: 'set', operation: 'union', all: true, operands, orderBy, limit, offset, extras: [] }
}

/** An expression in the rows of one set: the keys of others are NULL, GROUPING() says which. */
function valueIn(part: Expression, set: readonly Expression[], others: readonly Expression[]): Expression {
  if (includes(set, part)) return part
  if (includes(others, part)) return apply('null')
  if (part.kind !== 'apply' || isAggregateCall(part)) return part
  if (groupingFunctions.has(part.op)) {
    const bits = part.args.map((key) => (includes(set, key) ? '0' : '1')).join('')
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
    sets = sets.flatMap((set) => own.map((other) => [...set, ...other.filter((key) => !includes(set, key))]))
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
  return element.kind === 'apply' && element.op === 'tuple' ? element.args : [element]
}

/** ORDER BY by the numbers of the outputs, as after a set operation; undefined where it orders by something else. */
function byOutputNumber({ orderBy, outputs }: SelectShape): readonly OrderItem[] | undefined {
  const items = orderBy.map((item): OrderItem | undefined => {
    const at = outputs.findIndex((output) => same(output, item.by))
    return at < 0 || isNull(item.by) ? undefined : { ...item, by: apply('output', word(String(at + 1))) }
  })
  return items.every((item) => item !== undefined) ? items.filter((item) => item !== undefined) : undefined
}
