import {
  apply,
  conjunction,
  conjuncts,
  type Expression,
  isStar,
  type SelectShape,
} from '../../shape/query-shape.js'
import { renumbered } from '../../shape/renumber.js'
import { someInQuery } from '../../shape/walk.js'
import { asSelect } from '../as-select.js'
import { type Block, blockOf, isPlainSelect, sourcesOf, withBlock } from '../block.js'
import { type Column, queryReads, replaceColumns } from '../columns.js'
import { hasWindow } from '../duplicates.js'
import type { Facts } from '../facts.js'
import { certainlyAggregates, isStable, mayAggregate } from '../functions-known.js'
import { hasGroupingSets } from './grouping-sets.js'

/** More uses than this of one row are not written out. */
const maxUses = 12

/** An aggregate over everything: one row, whatever there is. */
function isOneAggregate(query: SelectShape): boolean {
  return (
    isPlainSelect(query) &&
    !query.distinct &&
    query.outputs.some(certainlyAggregates) &&
    !query.outputs.some((output) => hasWindow(output) || isStar(output) || !isStable(output))
  )
}

/**
 * A joined derived table that is one row of aggregates, as a scalar subquery wherever one of its columns is read:
 * the join adds that row to each other row.
 */
export function oneRowToScalar(select: SelectShape, facts: Facts): SelectShape {
  const block = blockOf(select)
  if (block.items.length < 2 || select.outputs.some(isStar)) return select
  for (const item of block.items) {
    if (item.kind !== 'derived' || item.extras.length > 0 || item.query.kind !== 'select') continue
    const { id, query } = item
    if (!isOneAggregate(query) || query.orderBy.length > 0) continue
    if (usesOf(select, id) > maxUses || isReadWhole(select, id)) continue
    const rest = withBlock(select, { ...block, items: block.items.filter((other) => other !== item) })
    return asSelect(
      replaceColumns(rest, (column) =>
        column.source === id && column.output !== undefined
          ? { kind: 'query', query: renumbered(onlyOutput(query, column.output), () => facts.fresh()) }
          : undefined,
      ),
      select,
    )
  }
  return select
}

function usesOf(select: SelectShape, id: number): number {
  let uses = 0
  someInQuery(select, (part) => {
    if (part.kind === 'column' && part.source === id) uses++
    return false
  })
  return uses
}

function isReadWhole(select: SelectShape, id: number): boolean {
  return someInQuery(
    select,
    (part) => part.kind === 'column' && part.source === id && part.output === undefined,
  )
}

function onlyOutput(query: SelectShape, at: number): SelectShape {
  const output = query.outputs[at]
  return output === undefined
    ? query
    : { ...query, outputs: [output], names: [query.names[at]], positional: false }
}

/** A SELECT over one row of aggregates alone: its conditions are HAVING, its outputs computed from the aggregates. */
export function liftOneRow(select: SelectShape): SelectShape {
  if (!isPlainSelect({ ...select, limit: undefined, offset: undefined }) || select.from?.kind !== 'derived')
    return select
  const { id, query, extras } = select.from
  if (extras.length > 0 || query.kind !== 'select' || isReadWhole(select, id)) return select
  if (!isOneAggregate({ ...query, having: undefined }) || !query.outputs.every(isComputed)) return select
  const values = [...select.outputs, ...conjuncts(select.where)]
  if (values.some((value) => mayAggregate(value) || hasWindow(value) || isStar(value))) return select
  if (!select.outputs.some((output) => readsAggregate(output, id, query))) return select
  if (conjuncts(select.where).some((condition) => hasQueryReading(condition, id))) return select
  const replace = (column: Column): Expression | undefined =>
    column.source === id && column.output !== undefined ? query.outputs[column.output] : undefined
  const merged: SelectShape = {
    ...select,
    from: query.from,
    where: query.where,
    having: conjunction([...conjuncts(query.having), ...conjuncts(select.where)]),
  }
  return asSelect(replaceColumns(merged, replace), select)
}

function isComputed(output: Expression): boolean {
  return certainlyAggregates(output) || output.kind === 'literal'
}

function readsAggregate(output: Expression, id: number, query: SelectShape): boolean {
  if (output.kind === 'apply') return output.args.some((arg) => readsAggregate(arg, id, query))
  if (output.kind !== 'column' || output.source !== id || output.output === undefined) return false
  const value = query.outputs[output.output]
  return value !== undefined && certainlyAggregates(value)
}

function hasQueryReading(value: Expression, id: number): boolean {
  if (value.kind === 'query') return queryReads(value.query, new Set([id]))
  return value.kind === 'apply' && value.args.some((arg) => hasQueryReading(arg, id))
}

const extremes: ReadonlySet<string> = new Set(['min', 'max'])

/**
 * Aggregates that need no rows: in a group, which has a row, the least and the greatest of one value is that value;
 * counting NULLs gives 0.
 */
export function constantAggregates(select: SelectShape): SelectShape {
  if (select.groupBy.length === 0 || select.extras.length > 0 || hasGroupingSets(select)) return select
  const block = blockOf(select)
  const own = sourcesOf(block)
  const simple = (value: Expression): Expression => {
    if (value.kind !== 'apply' || value.op === 'over') return value
    const [only] = value.args
    if (
      extremes.has(value.op) &&
      only !== undefined &&
      value.args.length === 1 &&
      isConstant(only, block, own)
    )
      return only
    const args = value.args.map(simple)
    return args.every((arg, at) => arg === value.args[at]) ? value : apply(value.op, ...args)
  }
  const outputs = select.outputs.map(simple)
  const having = conjuncts(select.having).map(simple)
  const isSame =
    outputs.every((output, at) => output === select.outputs[at]) &&
    having.every((condition, at) => condition === conjuncts(select.having)[at])
  return isSame ? select : { ...select, outputs, having: conjunction(having) }
}

/** Whether it is one value for all rows: literals, and subqueries that read nothing of them. */
function isConstant(value: Expression, block: Block, own: ReadonlySet<number>): boolean {
  if (value.kind === 'literal') return value.type !== 'word'
  if (value.kind === 'query') return isStable(value) && !queryReads(value.query, own)
  if (value.kind !== 'apply' || mayAggregate(value)) return false
  return value.args.length > 0 && value.args.every((arg) => isConstant(arg, block, own))
}
