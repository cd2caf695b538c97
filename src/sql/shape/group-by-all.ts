import type { Dialect } from '../../enums/dialect.js'
import { certainlyAggregates, isAggregateCall, isScalar } from '../relational/known-functions.js'
import { asIdentifier, asNode, asObject } from './ast.js'
import { type Expression, isStar, type OrderItem } from './query-shape.js'
import { someExpression } from './rewrite-query.js'

const withGroupByAll: ReadonlySet<Dialect> = new Set(['duckdb', 'snowflake', 'bigquery', 'spark', 'redshift'])
const withOrderByAll: ReadonlySet<Dialect> = new Set(['duckdb', 'snowflake', 'spark'])

/**
 * The keys of `GROUP BY ALL`: the outputs that aggregate nothing, of which a constant is none. Undefined where an output
 * may be either, or both at once.
 */
export function expandGroupByAll(
  outputs: readonly Expression[],
  dialect: Dialect,
): readonly Expression[] | undefined {
  if (!withGroupByAll.has(dialect)) return undefined
  const keys = outputs.filter((output) => isOfOneRow(output) && readsColumn(output))
  const isSettled = outputs.every((output) => isOfOneRow(output) || isOfGroups(output))
  // Whether constants alone make groups, of which an empty table has none, is known of DuckDB: they do not.
  const hasGroups = keys.length > 0 || dialect === 'duckdb' || outputs.every(isOfGroups)
  return isSettled && hasGroups ? keys : undefined
}

/** The items of `ORDER BY ALL`: all outputs, in the direction that is written. */
export function expandOrderByAll(
  item: OrderItem,
  written: unknown,
  outputs: readonly Expression[],
  dialect: Dialect,
): readonly OrderItem[] | undefined {
  const body = asObject(asNode(written)?.body)
  const name = asIdentifier(body?.['name'])
  const isAll = name?.name.toLowerCase() === 'all' && !name.quoted && (body?.['table'] ?? null) === null
  if (!withOrderByAll.has(dialect) || !isAll || outputs.some(isStar)) return undefined
  return outputs.map((by) => ({ ...item, by }))
}

function isOfOneRow(output: Expression): boolean {
  return !isStar(output) && isScalar(output) && !someExpression(output, (part) => part.kind === 'query')
}

function readsColumn(output: Expression): boolean {
  return someExpression(output, (part) => part.kind === 'column')
}

/** Whether all columns in it stand inside of aggregates. */
function isOfGroups(output: Expression): boolean {
  return certainlyAggregates(output) && isAggregated(output)
}

function isAggregated(part: Expression): boolean {
  if (part.kind === 'literal' || isAggregateCall(part)) return true
  return part.kind === 'apply' && part.op !== 'over' && part.args.every(isAggregated)
}
