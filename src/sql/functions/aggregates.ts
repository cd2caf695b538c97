import { apply, type Expression } from '../shape/query-shape.js'
import { labelledPart, numberLiteral } from './function-table.js'

/** `agg(x) FILTER (WHERE c)` as `agg(CASE WHEN c THEN x END)`, for aggregates that pass NULLs over. */
export function filterToCase(op: string, args: readonly Expression[]): Expression | undefined {
  const condition = labelledPart(args, 'filter')
  const [value, ...rest] = args.filter((arg) => !(arg.kind === 'apply' && arg.op === 'field:filter'))
  if (condition === undefined || value === undefined || rest.length > 0) return undefined
  if (value.kind === 'literal' && value.type === 'word')
    return apply(op, caseWhen(condition, numberLiteral('1')))
  const inner = value.kind === 'apply' && value.op === 'distinct' ? value.args[0] : undefined
  return inner === undefined
    ? apply(op, caseWhen(condition, value))
    : apply(op, apply('distinct', caseWhen(condition, inner)))
}

function caseWhen(condition: Expression, value: Expression): Expression {
  return apply('case', apply('when', condition, value))
}

/** COUNT counts rows where a condition holds, whichever constant it is given for them. */
export function normalizeCount(args: readonly Expression[]): Expression | undefined {
  const [value, ...rest] = args
  const [when, ...others] = value?.kind === 'apply' && value.op === 'case' ? value.args : []
  const [condition, result] = when?.kind === 'apply' && when.op === 'when' ? when.args : []
  if (rest.length > 0 || others.length > 0 || condition === undefined) return filterToCase('count', args)
  const isOther =
    result?.kind === 'literal' && (result.type === 'text' || result.type === 'number') && result.value !== '1'
  return isOther ? apply('count', caseWhen(condition, numberLiteral('1'))) : undefined
}

/** `COUNTIF(c)`. */
export function countIfToCount(args: readonly Expression[]): Expression | undefined {
  const [condition] = args
  return condition !== undefined && args.length === 1
    ? apply('count', caseWhen(condition, numberLiteral('1')))
    : undefined
}

/** `PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)`; a call that orders downwards stays as it is. */
export function percentileToCommon(args: readonly Expression[]): Expression | undefined {
  const [call, order, ...rest] = args
  if (call?.kind !== 'apply' || !/^aggregate_function(?: of|$)/u.test(call.op) || rest.length > 0)
    return undefined
  const name = nameOf(call.args)
  const [share, ...others] = argumentsOf(call.args)
  const [item] = order?.kind === 'apply' && order.op === 'field:order_by' ? order.args : []
  const [by, ...more] = item?.kind === 'apply' && item.op === 'record' ? item.args : []
  const value = by?.kind === 'apply' && by.op === 'field:this' && more.length === 0 ? by.args[0] : undefined
  if (share === undefined || others.length > 0 || value === undefined) return undefined
  return name === 'percentile_cont' || name === 'percentile_disc' ? apply(name, value, share) : undefined
}

/** `MEDIAN(x)`. */
export function medianToPercentile(args: readonly Expression[]): Expression | undefined {
  const [value] = args
  return value !== undefined && args.length === 1
    ? apply('percentile_cont', value, numberLiteral('0.5'))
    : undefined
}

const quantiles: ReadonlyMap<string, string> = new Map([
  ['quantile_cont', 'percentile_cont'],
  ['quantile_disc', 'percentile_disc'],
])

/** DuckDB's `quantile_cont(x, 0.5)`. */
export function quantileToPercentile(args: readonly Expression[]): Expression | undefined {
  const name = quantiles.get(nameOf(args) ?? '')
  const [value, share, ...rest] = argumentsOf(args)
  const isShare = share?.kind === 'literal' && share.type === 'number' && rest.length === 0
  return name !== undefined && value !== undefined && isShare && args.length === 2
    ? apply(name, value, share)
    : undefined
}

/** The name of an aggregate that the parser has no node for. */
export function nameOf(parts: readonly Expression[]): string | undefined {
  const name = labelledPart(parts, 'name')
  return name?.kind === 'literal' ? name.value.toLowerCase() : undefined
}

export function argumentsOf(parts: readonly Expression[]): readonly Expression[] {
  const list = parts.find((part) => part.kind === 'apply' && part.op === 'field:args')
  return list?.kind === 'apply' ? list.args : []
}

/** DuckDB's `list(x)`, with ORDER BY and FILTER as they are written. */
export function listToArrayAgg(args: readonly Expression[]): Expression | undefined {
  if (nameOf(args) !== 'list') return undefined
  const rest = args.filter(
    (arg) => !(arg.kind === 'apply' && (arg.op === 'field:args' || arg.op === 'field:name')),
  )
  return apply('array_agg', ...argumentsOf(args), ...rest)
}
