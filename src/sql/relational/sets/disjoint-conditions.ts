import { isFalse } from '../../conditions/boolean-expressions.js'
import { dropImpliedConjuncts } from '../../conditions/range-implication.js'
import type { Expression } from '../../shape/query-shape.js'
import { isSameExpression } from '../column-references.js'
import { valueOrderOf } from '../filters.js'
import { isStable } from '../known-functions.js'
import { rejectsNull } from '../nullability.js'
import type { Facts } from '../table-facts.js'

/** More operands are not compared with one another. */
const maxOptions = 12

/** Whether no row satisfies the conditions of two of the options, each of which is a list that holds together. */
export function areDisjoint(options: readonly (readonly Expression[])[], facts: Facts): boolean {
  if (options.length > maxOptions) return false
  return options.every((one, at) =>
    options.slice(at + 1).every((other) => excludeOneAnother(one, other, facts)),
  )
}

function excludeOneAnother(one: readonly Expression[], other: readonly Expression[], facts: Facts): boolean {
  const [only, ...rest] = dropImpliedConjuncts([...one, ...other], valueOrderOf(facts))
  if (rest.length === 0 && only !== undefined && isFalse(only)) return true
  return one.some((a) => other.some((b) => isOpposite(a, b) || isOpposite(b, a)))
}

/** `c` and `NOT c`; `x IS NULL` and what is not true of NULL. */
function isOpposite(a: Expression, b: Expression): boolean {
  if (a.kind !== 'apply' || !isStable(a)) return false
  const [of] = a.args
  if (a.op === 'not') return of !== undefined && isSameExpression(of, b)
  return (
    a.op === 'is_null' && of?.kind === 'column' && rejectsNull(b, (column) => isSameExpression(column, of))
  )
}
