import type { Expression } from '../shape/query-shape.js'

/** EXISTS asks for rows only: what plain columns or literals the subquery lists does not matter. */
export function simplifyExists(expression: Expression): Expression {
  if (expression.kind !== 'apply' || expression.op !== 'exists') return expression
  const [inner] = expression.args
  if (inner?.kind !== 'query' || inner.query.kind !== 'select') return expression
  const { query } = inner
  if (query.limit !== undefined || query.offset !== undefined || query.groupBy.length > 0) return expression
  if (!query.outputs.every((output) => output.kind === 'column' || output.kind === 'literal'))
    return expression
  if (query.outputs.length === 0 && !query.distinct && query.orderBy.length === 0) return expression
  return {
    ...expression,
    args: [{ kind: 'query', query: { ...query, outputs: [], names: [], distinct: false, orderBy: [] } }],
  }
}
