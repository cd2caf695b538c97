import type { Dialect } from '../../enums/dialect.js'
import { apply, type Expression, type QueryShape } from '../shape/query-shape.js'
import { rewriteQuery, someInQuery } from '../shape/rewrite-query.js'

/** Calls that read JSON, and give no other JSON function anything but what they show. */
const readers: ReadonlySet<string> = new Set([
  'json_extract',
  'json_extract_scalar',
  'json_type',
  'json_valid',
  'json_array_length',
])

/**
 * SQLite's `x ->> '$.a'` as `json_extract(x, '$.a')`, which is the same value, and `x ->> 'a'` likewise. Only to functions
 * that make JSON what the arrow gives is a text and what the call gives is JSON, through subqueries too, so that a query
 * with one of these stays.
 */
export function normalizeJsonArrows(query: QueryShape, dialect: Dialect): QueryShape {
  if (dialect !== 'sqlite' || !someInQuery(query, isArrow) || someInQuery(query, makesJson)) return query
  return rewriteQuery(query, { expression: asCall, query: (shape) => shape })
}

function isArrow(expression: Expression): boolean {
  return expression.kind === 'apply' && expression.op === 'json_extract_scalar'
}

function makesJson(expression: Expression): boolean {
  // The parser spells `json_array` out.
  return expression.kind === 'apply' && /^j_?s_?o_?n/u.test(expression.op) && !readers.has(expression.op)
}

function asCall(expression: Expression): Expression {
  if (expression.kind !== 'apply' || expression.op !== 'json_extract_scalar') return expression
  const [value, ...rest] = expression.args
  const [path, ...others] = rest.flatMap((arg) =>
    arg.kind === 'apply' && arg.op === 'field:path' ? arg.args : [],
  )
  if (value === undefined || path?.kind !== 'literal' || path.type !== 'text' || others.length > 0)
    return expression
  const full = path.value.startsWith('$')
    ? path.value
    : plainKey.test(path.value)
      ? `$.${path.value}`
      : undefined
  return full === undefined
    ? expression
    : apply('json_extract', value, apply('field:path', { ...path, value: full }))
}

const plainKey = /^[A-Za-z_][A-Za-z0-9_]*$/u
