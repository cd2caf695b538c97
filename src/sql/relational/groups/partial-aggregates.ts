import {
  apply,
  conjuncts,
  type Expression,
  type QueryShape,
  type SelectShape,
} from '../../shape/query-shape.js'
import { type Column, includesExpression, reads } from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { certainlyAggregates, isAggregateCall, mayAggregate } from '../known-functions.js'
import { hasGroupingSets } from './grouping-sets.js'

/** How a partial aggregate is combined, and what that is the same as over the rows themselves. */
const combinedAggregates: ReadonlyMap<string, string> = new Map([
  ['sum sum', 'sum'],
  ['sum count', 'count'],
  ['min min', 'min'],
  ['max max', 'max'],
])

type Derived = { readonly id: number; readonly query: QueryShape }

/**
 * Aggregates of aggregates over parts of the rows, as aggregates over the rows: a sum of sums, a sum of counts, the
 * least of the least. The parts are the groups of a derived table, or of the operands of its UNION ALL; groups of
 * the whole are made of whole parts. An empty sum of counts is NULL and not 0, so that counts need a row.
 */
export function mergePartialAggregates(select: SelectShape): SelectShape {
  const derived = onlyDerived(select)
  if (derived === undefined) return select
  const parts = partsOf(derived.query)
  if (parts === undefined || !parts.every(isPartialAggregation)) return select
  const isGrouped = select.groupBy.length > 0
  if (isGrouped && parts.some((part) => part.groupBy.length === 0)) return select
  const hasRow = isGrouped || parts.some((part) => part.groupBy.length === 0)
  const uses = usesOf(select, derived.id)
  if (uses === undefined) return select
  const changed = new Map<number, string>()
  for (const [at, op] of uses) {
    const outputs = parts.map((part) => part.outputs[at])
    const aggregate = op === undefined ? undefined : commonAggregate(op, outputs)
    const isKey = outputs.every((output, place) => output !== undefined && isKeyOf(output, parts[place]))
    // A part without groups has a row, and so its literals, where there are no rows.
    if (
      isKey &&
      parts.every((part) => part.groupBy.length > 0) &&
      (op === undefined || op === 'min' || op === 'max')
    )
      continue
    if (aggregate === undefined || (aggregate === 'count' && !hasRow)) return select
    changed.set(at, aggregate)
  }
  if (changed.size === 0) return select
  const ungrouped = parts.map(
    (part): SelectShape => ({
      ...part,
      groupBy: [],
      outputs: part.outputs.map((output, at) => (changed.has(at) ? argumentOf(output) : output)),
    }),
  )
  // Outputs that are not read must not aggregate any more.
  if (ungrouped.some((part) => part.outputs.some(mayAggregate))) return select
  return withParts(select, derived, ungrouped, changed)
}

function onlyDerived(select: SelectShape): Derived | undefined {
  const { from } = select
  if (from?.kind !== 'derived' || from.extras.length > 0 || select.extras.length > 0) return undefined
  if (select.where !== undefined || select.qualify !== undefined || hasGroupingSets(select)) return undefined
  const values = [...select.outputs, ...conjuncts(select.having), ...select.orderBy.map(({ by }) => by)]
  const isAggregate = select.groupBy.length > 0 || select.outputs.some(certainlyAggregates)
  return isAggregate && !values.some(hasWindow) ? { id: from.id, query: from.query } : undefined
}

function partsOf(query: QueryShape): readonly SelectShape[] | undefined {
  if (query.kind === 'select') return [query]
  const isBare = query.orderBy.length === 0 && query.limit === undefined && query.offset === undefined
  if (query.operation !== 'union' || !query.all || !isBare || query.extras.length > 0) return undefined
  const selects = query.operands.filter((operand): operand is SelectShape => operand.kind === 'select')
  return selects.length === query.operands.length ? selects : undefined
}

/** Whether it only groups and aggregates. */
export function isPartialAggregation(part: SelectShape): boolean {
  const isBare =
    part.having === undefined &&
    part.qualify === undefined &&
    part.limit === undefined &&
    part.offset === undefined &&
    part.extras.length === 0 &&
    !part.distinct
  return (
    isBare &&
    !hasGroupingSets(part) &&
    part.outputs.some(certainlyAggregates) &&
    !part.outputs.some(hasWindow)
  )
}

function isKeyOf(output: Expression, part: SelectShape | undefined): boolean {
  return output.kind === 'literal' || (part !== undefined && includesExpression(part.groupBy, output))
}

/** How the query reads each column of the derived table: in which aggregate, or bare; undefined for other uses. */
function usesOf(select: SelectShape, id: number): ReadonlyMap<number, string | undefined> | undefined {
  const uses = new Map<number, string | undefined>()
  const note = (column: Column, op: string | undefined): boolean => {
    if (column.output === undefined || (uses.has(column.output) && uses.get(column.output) !== op))
      return false
    uses.set(column.output, op)
    return true
  }
  const visit = (value: Expression): boolean => {
    if (value.kind === 'query') return !reads(value, new Set([id]))
    if (value.kind === 'column') return value.source !== id || note(value, undefined)
    if (value.kind !== 'apply') return true
    if (!isAggregateCall(value)) return value.args.every(visit)
    const [only] = value.args
    return only?.kind === 'column' && value.args.length === 1 && only.source === id && note(only, value.op)
  }
  const values = [
    ...select.outputs,
    ...select.groupBy,
    ...conjuncts(select.having),
    ...select.orderBy.map(({ by }) => by),
  ]
  return values.every(visit) ? uses : undefined
}

/** The aggregate that combining the partial ones gives, the same in all parts. */
export function commonAggregate(
  op: string,
  outputs: readonly (Expression | undefined)[],
): string | undefined {
  const results = outputs.map((output) => {
    if (output?.kind !== 'apply' || !isAggregateCall(output) || output.args.length !== 1) return undefined
    const [argument] = output.args
    const isDistinct = argument?.kind === 'apply' && argument.op === 'distinct'
    return isDistinct ? undefined : combinedAggregates.get(`${op} ${output.op}`)
  })
  return results.every((result) => result === results[0]) ? results[0] : undefined
}

/** Returns the argument of an aggregate; for a count of rows, a value that is never NULL. */
export function argumentOf(aggregate: Expression): Expression {
  const [argument] = aggregate.kind === 'apply' ? aggregate.args : []
  const isRow = argument === undefined || (argument.kind === 'literal' && argument.type === 'word')
  return isRow ? { kind: 'literal', type: 'number', value: '1' } : argument
}

function withParts(
  select: SelectShape,
  { id, query }: Derived,
  parts: readonly SelectShape[],
  changed: ReadonlyMap<number, string>,
): SelectShape {
  const [first] = parts
  const { from } = select
  if (from?.kind !== 'derived' || first === undefined) return select
  const rows: QueryShape = query.kind === 'select' ? first : { ...query, operands: parts }
  const renamed = (value: Expression): Expression => {
    if (value.kind !== 'apply') return value
    const [only] = value.args
    const op =
      isAggregateCall(value) && only?.kind === 'column' && only.source === id && only.output !== undefined
        ? changed.get(only.output)
        : undefined
    if (op !== undefined) return apply(op, ...value.args)
    const args = value.args.map(renamed)
    return args.every((arg, at) => arg === value.args[at]) ? value : { ...value, args }
  }
  return {
    ...select,
    from: { ...from, query: rows },
    outputs: select.outputs.map(renamed),
    having: select.having && renamed(select.having),
    orderBy: select.orderBy.map((item) => ({ ...item, by: renamed(item.by) })),
  }
}
