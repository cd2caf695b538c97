import { dateLiteral } from '../functions/function-table.js'
import { isSameExpression } from '../relational/column-references.js'
import { isStable } from '../relational/known-functions.js'
import { dayAfter, type Period, partOfPeriod } from '../relational/values/periods.js'
import { apply, type Expression } from '../shape/query-shape.js'
import { type Bound, boundOf, compareLiterals, type Literal } from './literal-bounds.js'

/**
 * Conditions that hold together and ask for one value, or for a part of a year, as one: `x >= 5 AND x <= 5` is `x = 5`,
 * `d >= '2024-02-01' AND d < '2024-02-02'` is a day where `isDay(d)`, and a year of which `month(d) = 2` is a month.
 */
export function mergeRanges(
  conditions: readonly Expression[],
  isDay: (subject: Expression) => boolean,
): readonly Expression[] {
  if (conditions.length < 2 || conditions.length > maxConditions) return conditions
  const bounds = conditions.flatMap((condition) => {
    const bound = boundOf(condition)
    return bound !== undefined && isStable(bound.subject) ? [{ condition, ...bound }] : []
  })
  for (const lower of bounds.filter(({ op }) => op === '>=')) {
    for (const upper of bounds.filter(({ op }) => op === '<' || op === '<=')) {
      if (!isSameExpression(lower.subject, upper.subject)) continue
      const single = isSingleValue(lower, upper, isDay)
      const left = conditions.filter((one) => one !== lower.condition && one !== upper.condition)
      if (single) return mergeRanges([...left, apply('=', lower.subject, lower.value)], isDay)
      const part = partOfYear(lower, upper, bounds)
      if (part === undefined) continue
      const { period, condition } = part
      const from = apply('<=', dateLiteral(period.start), lower.subject)
      const before = apply('<', lower.subject, dateLiteral(period.end))
      return mergeRanges([...left.filter((one) => one !== condition), from, before], isDay)
    }
  }
  return conditions
}

/** More conditions than this are not compared with one another. */
const maxConditions = 60

type BoundCondition = Bound & { readonly condition: Expression }

function isSingleValue(
  lower: BoundCondition,
  upper: BoundCondition,
  isDay: (subject: Expression) => boolean,
): boolean {
  if (upper.op === '<=') return compareLiterals(lower.value, upper.value) === 0
  const next = isDate(lower.value) && isDate(upper.value) ? dayAfter(lower.value.value) : undefined
  return next === upper.value.value && isDay(lower.subject)
}

/** The month or quarter of the year that the bounds are of. */
function partOfYear(
  lower: BoundCondition,
  upper: BoundCondition,
  bounds: readonly BoundCondition[],
): { readonly period: Period; readonly condition: Expression } | undefined {
  if (upper.op !== '<' || !isDate(lower.value) || !isDate(upper.value)) return undefined
  const year = { start: lower.value.value, end: upper.value.value }
  for (const { subject, op, value, condition } of bounds) {
    if (op !== '=' || value.type !== 'number' || subject.kind !== 'apply') continue
    const [of] = subject.args
    const isOfYear = of !== undefined && subject.args.length === 1 && isSameExpression(of, lower.subject)
    if (!isOfYear || (subject.op !== 'month' && subject.op !== 'quarter')) continue
    const period = partOfPeriod(year, subject.op, Number(value.value))
    if (period !== undefined) return { period, condition }
  }
  return undefined
}

function isDate(value: Literal): boolean {
  return value.type === 'date'
}
