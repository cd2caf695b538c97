import { isSameExpression } from '../relational/column-references.js'
import { isStable } from '../relational/known-functions.js'
import type { Expression } from '../shape/query-shape.js'
import { compareLiterals, equalityBoundOf } from './literal-bounds.js'

/** Whether two conditions are never true together: they say that one value equals two different literals. */
export function areMutuallyExclusive(a: Expression, b: Expression): boolean {
  const [left, right] = [equalityBoundOf(a), equalityBoundOf(b)]
  if (left === undefined || right === undefined || !isSameExpression(left.subject, right.subject))
    return false
  if (!isStable(left.subject)) return false
  const order = compareLiterals(left.value, right.value)
  return order !== undefined && order !== 0
}
