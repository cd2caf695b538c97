import type { Expression } from '../shape/query-shape.js'
import { someExpression } from '../shape/rewrite-query.js'

/** Only to choose the word for a difference: an unknown aggregate is called a column. */
const aggregates: ReadonlySet<string> = new Set([
  'sum',
  'avg',
  'min',
  'max',
  'count',
  'count_if',
  'sum_if',
  'median',
  'mode',
  'stddev',
  'stddev_pop',
  'stddev_samp',
  'variance',
  'var_pop',
  'var_samp',
  'array_agg',
  'string_agg',
  'list_agg',
  'group_concat',
  'any_value',
  'approx_distinct',
  'approx_count_distinct',
  'aggregate_function',
  'within_group',
  'total',
])

export function isAggregate(output: Expression): boolean {
  return someExpression(output, (part) => part.kind === 'apply' && aggregates.has(part.op))
}

export function isWindow(output: Expression): boolean {
  return someExpression(output, (part) => part.kind === 'apply' && part.op === 'over')
}
