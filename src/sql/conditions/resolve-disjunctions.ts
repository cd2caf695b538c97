import { apply, type Expression } from '../shape/query-shape.js'
import { falseLiteral } from './boolean-expressions.js'
import { type Bound, boundOf } from './literal-bounds.js'
import { areContradictory, impliesBound, type ValueOrder } from './range-implication.js'

/** More conditions than this are not compared with one another. */
const maxConditions = 60

/**
 * Conditions that hold together, without the alternatives that another rules out, and without what all alternatives say:
 * `x IN (1, 2) AND x <> 1` is `x = 2`, and so is `x IN (1, 2) AND x IN (2, 3)`. The same list where each may be true.
 */
export function resolveDisjunctions(
  conditions: readonly Expression[],
  order: ValueOrder,
): readonly Expression[] {
  if (conditions.length < 2 || conditions.length > maxConditions || !conditions.some(isOr)) return conditions
  const options = conditions.map((condition) => (isOr(condition) ? condition.args : [condition]))
  for (const [at, own] of options.entries()) {
    if (own.length < 2) continue
    const left = own.filter(
      (option) => !options.some((others, place) => place !== at && allExclude(others, option, order)),
    )
    if (left.length === own.length) continue
    const [first = falseLiteral] = left
    const rest = left.length < 2 ? first : apply('or', ...left)
    return resolveDisjunctions(
      conditions.map((condition, place) => (place === at ? rest : condition)),
      order,
    )
  }
  const told = conditions.filter(
    (condition, at) =>
      !options.some((own, place) => place !== at && own.length > 1 && allImply(own, condition, order)),
  )
  return told.length === conditions.length ? conditions : told
}

/** Whether each of the alternatives implies the condition. */
function allImply(alternatives: readonly Expression[], condition: Expression, order: ValueOrder): boolean {
  const bound = boundOf(condition)
  return (
    bound !== undefined &&
    alternatives.every((option) => {
      const other = boundOf(option)
      return other !== undefined && impliesBound(other, bound, order)
    })
  )
}

function isOr(condition: Expression): condition is Expression & { kind: 'apply' } {
  return condition.kind === 'apply' && condition.op === 'or'
}

/** Whether none of the alternatives can be true together with the option. */
function allExclude(alternatives: readonly Expression[], option: Expression, order: ValueOrder): boolean {
  const bound = boundOf(option)
  return (
    bound !== undefined && alternatives.every((other) => areExclusiveBounds(bound, boundOf(other), order))
  )
}

function areExclusiveBounds(a: Bound, b: Bound | undefined, order: ValueOrder): boolean {
  return b !== undefined && areContradictory(a, b, order)
}
