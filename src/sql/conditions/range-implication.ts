import { includesExpression, isSameExpression } from '../relational/column-references.js'
import { isStable } from '../relational/known-functions.js'
import { apply, type Expression } from '../shape/query-shape.js'
import { falseLiteral } from './boolean-expressions.js'
import { type Bound, boundOf, compareLiterals } from './literal-bounds.js'

/** Properties of the values that conditions compare with literals. */
export interface ValueOrder {
  /** Whether values of the subject are ordered as the numbers and dates that they are compared with. */
  isOrdered(subject: Expression): boolean
  /** Whether values of the subject are integers: between 1 and 2 there is none. */
  isInteger(subject: Expression): boolean
  /** Whether a value is always below, at or above another: a NaN is in some databases none of these. */
  readonly isTotal: boolean
}

/** More conditions than this are not compared with one another. */
const maxConditions = 60

/**
 * Conditions on one value that hold together, without those that others imply: `x > 10 AND x > 0` is `x > 10`,
 * `x = 5 AND x > 3` is `x = 5`, `x = 5 AND x = 6` is never true. The same list where nothing is implied.
 */
export function dropImpliedConjuncts(
  conditions: readonly Expression[],
  order: ValueOrder,
): readonly Expression[] {
  const bounds = boundsOf(conditions, order)
  if (bounds === undefined) return conditions
  const dropped = new Set<Expression>()
  for (const [at, [condition, bound]] of bounds.entries()) {
    for (const [other, against] of bounds.slice(at + 1)) {
      if (dropped.has(condition) || dropped.has(other) || !isSameExpression(bound.subject, against.subject))
        continue
      if (isUnsatisfiable(bound, against)) return [falseLiteral]
      if (implies(bound, against)) dropped.add(other)
      else if (implies(against, bound)) dropped.add(condition)
    }
  }
  return dropped.size === 0 ? conditions : conditions.filter((condition) => !dropped.has(condition))
}

/**
 * Alternatives for one value, without those that imply another: `x > 10 OR x > 20` is `x > 10`. Alternatives that
 * leave no value out, as `x > 10 OR x <= 10`, only ask that there is one.
 */
export function dropSubsumedDisjuncts(all: readonly Expression[], order: ValueOrder): readonly Expression[] {
  const options = dropSubsumedByNotNull(all)
  const bounds = boundsOf(options, order)
  if (bounds === undefined || bounds.every(([, { op }]) => op === '=')) return options
  const dropped = new Set<Expression>()
  for (const [at, [option, bound]] of bounds.entries()) {
    for (const [other, against] of bounds.slice(at + 1)) {
      if (dropped.has(option) || dropped.has(other) || !isSameExpression(bound.subject, against.subject))
        continue
      if (isTautology(bound, against, order)) {
        const given = apply('not', apply('is_null', bound.subject))
        const rest = options.filter((one) => one !== option && one !== other)
        return dropSubsumedByNotNull(includesExpression(rest, given) ? rest : [...rest, given])
      }
      if (implies(bound, against)) dropped.add(option)
      else if (implies(against, bound)) dropped.add(other)
    }
  }
  return dropped.size === 0 ? options : options.filter((option) => !dropped.has(option))
}

/** Alternatives without those that ask more of a value than another, which only asks that there is one. */
function dropSubsumedByNotNull(options: readonly Expression[]): readonly Expression[] {
  const given = options.flatMap((option) => {
    const [test] = option.kind === 'apply' && option.op === 'not' ? option.args : []
    return test?.kind === 'apply' && test.op === 'is_null' ? test.args.slice(0, 1) : []
  })
  if (given.length === 0) return options
  const kept = options.filter((option) => {
    const bound = boundOf(option)
    return bound === undefined || !includesExpression(given, bound.subject)
  })
  return kept.length === options.length ? options : kept
}

/** A subject that is compared with a date is treated as one, and dates have an order. */
function isOrdered({ subject, value }: Bound, order: ValueOrder): boolean {
  return value.type === 'date' || order.isOrdered(subject)
}

function boundsOf(
  conditions: readonly Expression[],
  order: ValueOrder,
): readonly (readonly [Expression, Bound])[] | undefined {
  if (conditions.length < 2 || conditions.length > maxConditions) return undefined
  const bounds = conditions.flatMap((condition): [Expression, Bound][] => {
    const bound = boundOf(condition)
    return bound === undefined || !isOrdered(bound, order) || !isStable(bound.subject)
      ? []
      : [[condition, bound]]
  })
  return bounds.length < 2 ? undefined : bounds
}

/** Whether all values that the first admits are admitted by the second. */
function implies(a: Bound, b: Bound): boolean {
  const order = compareLiterals(a.value, b.value)
  if (order === undefined) return false
  switch (b.op) {
    case '=':
      return a.op === '=' && order === 0
    case '<>':
      return a.op === '=' ? order !== 0 : !admits(a, order)
    case '<':
    case '<=':
      return isUpper(a) && (order < 0 || (order === 0 && (b.op === '<=' || a.op === '<')))
    default:
      return isLower(a) && (order > 0 || (order === 0 && (b.op === '>=' || a.op === '>')))
  }
}

/** Whether a value satisfies the bound, given how the bound's literal compares with it; true where that is unknown. */
function admits({ op }: Bound, order: number): boolean {
  if (Number.isNaN(order)) return true
  switch (op) {
    case '<':
      return order > 0
    case '<=':
      return order >= 0
    case '>':
      return order < 0
    case '>=':
      return order <= 0
    default:
      return order !== 0 || op === '='
  }
}

function isUpper({ op }: Bound): boolean {
  return op === '<' || op === '<=' || op === '='
}

function isLower({ op }: Bound): boolean {
  return op === '>' || op === '>=' || op === '='
}

/** Whether each value that satisfies the first condition satisfies the second. */
export function impliesBound(a: Bound, b: Bound, order: ValueOrder): boolean {
  return haveSameSubject(a, b, order) && implies(a, b)
}

/** Whether no value satisfies both conditions, which may be about different ones. */
export function areContradictory(a: Bound, b: Bound, order: ValueOrder): boolean {
  return haveSameSubject(a, b, order) && isUnsatisfiable(a, b)
}

/** Whether both compare one value, in an order that it has. */
function haveSameSubject(a: Bound, b: Bound, order: ValueOrder): boolean {
  const areOrdered = isOrdered(a, order) && isOrdered(b, order)
  return (
    (areOrdered || (isEqualityTest(a) && isEqualityTest(b))) &&
    isStable(a.subject) &&
    isSameExpression(a.subject, b.subject)
  )
}

/** Whether no order matters. */
function isEqualityTest({ op }: Bound): boolean {
  return op === '=' || op === '<>'
}

function isUnsatisfiable(a: Bound, b: Bound): boolean {
  return hasEmptyIntersection(a, b) || hasEmptyIntersection(b, a)
}

function hasEmptyIntersection(a: Bound, b: Bound): boolean {
  const order = compareLiterals(a.value, b.value)
  if (order === undefined) return false
  if (a.op === '=' && b.op === '=') return order !== 0
  if (a.op === '=' && b.op === '<>') return order === 0
  if (!isUpper(a) || !isLower(b) || (a.op === '=' && b.op === '=')) return false
  return order < 0 || (order === 0 && (a.op === '<' || b.op === '>'))
}

/** Whether each value satisfies one or the other. */
function isTautology(a: Bound, b: Bound, { isTotal, isInteger }: ValueOrder): boolean {
  const order = compareLiterals(a.value, b.value)
  if (order === undefined) return false
  if (areAdjacentIntegers(a, b) && isInteger(a.subject)) return true
  if (order === 0 && ((a.op === '=' && b.op === '<>') || (a.op === '<>' && b.op === '='))) return true
  if (!isTotal && a.value.type !== 'date') return false
  const [upper, lower, gap] = isUpper(a) ? [a, b, order] : [b, a, -order]
  if (upper.op === '=' || lower.op === '=' || !isUpper(upper) || !isLower(lower)) return false
  return gap > 0 || (gap === 0 && (upper.op === '<=' || lower.op === '>='))
}

/** `x <= 1` and `x >= 2`. */
function areAdjacentIntegers(a: Bound, b: Bound): boolean {
  if (a.value.type !== 'number') return false
  const [upper, lower] = a.op === '<=' ? [a, b] : [b, a]
  return upper.op === '<=' && lower.op === '>=' && Number(lower.value.value) - Number(upper.value.value) === 1
}
