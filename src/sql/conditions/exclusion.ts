import { same } from '../relational/columns.js'
import { isStable } from '../relational/functions-known.js'
import type { Expression } from '../shape/query-shape.js'
import { compareValues, equationWith } from './values.js'

/** Whether two conditions are never true together: they say that one value equals two different literals. */
export function exclude(a: Expression, b: Expression): boolean {
  const [left, right] = [equationWith(a), equationWith(b)]
  if (left === undefined || right === undefined || !same(left.subject, right.subject)) return false
  if (!isStable(left.subject)) return false
  const order = compareValues(left.value, right.value)
  return order !== undefined && order !== 0
}
