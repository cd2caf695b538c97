import { apply, type Expression, type SelectShape, word } from '../../shape/query-shape.js'
import { mapAll, type rewriteExpression, someDeep } from '../../shape/rewrite-query.js'
import { reads } from '../column-references.js'
import { isKey } from '../functional-dependencies.js'
import { blockOf, type JoinBlock, sourcesOf } from '../join-block.js'
import { assumeNotNull, isNotNull } from '../nullability.js'
import type { Facts } from '../table-facts.js'
import { mapResultValues } from '../values/map-result-values.js'

/** count(x) counts rows where x is never NULL; so does count(DISTINCT x) where x tells the rows of a group apart. */
export function countToCountStar(select: SelectShape, facts: Facts): SelectShape {
  if (select.extras.length > 0) return select
  let block: JoinBlock | undefined
  const change = (expression: Expression): Expression => {
    if (expression.kind !== 'apply' || expression.op !== 'count' || expression.args.length !== 1)
      return expression
    const [value] = expression.args
    if (value === undefined || (value.kind === 'literal' && value.type === 'word')) return expression
    block ??= blockOf(select)
    const isDistinct = value.kind === 'apply' && value.op === 'distinct'
    const counted = isDistinct ? value.args : [value]
    const [only] = counted
    if (only === undefined || counted.length > 1) return expression
    // An aggregate that reads only columns of an outer query belongs to that query.
    if (hasBoundColumn(only) && !reads(only, sourcesOf(block))) return expression
    if (isDistinct && !isKey([...select.groupBy, only], block, facts)) return expression
    if (!isCounted(only, block, facts)) return expression
    return apply('count', word('*'))
  }
  const rewrite = { expression: change, query: <T>(query: T): T => query }
  return mapResultValues(select, (value) => rewriteOwn(value, rewrite))
}

function hasBoundColumn(value: Expression): boolean {
  return someDeep(value, (part) => part.kind === 'column' && part.source !== undefined)
}

function isCounted(value: Expression, block: JoinBlock, facts: Facts): boolean {
  if (isNotNull(value, facts, block.where)) return true
  return value.kind === 'column' && assumeNotNull(value, facts)
}

/** Aggregates in subqueries are not this query's. */
function rewriteOwn(value: Expression, rewrite: Parameters<typeof rewriteExpression>[1]): Expression {
  if (value.kind === 'query') return value
  if (value.kind !== 'apply') return rewrite.expression(value)
  const args = mapAll(value.args, (arg) => rewriteOwn(arg, rewrite))
  return rewrite.expression(args === value.args ? value : { ...value, args })
}
