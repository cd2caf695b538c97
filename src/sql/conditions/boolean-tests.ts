import type { Dialect } from '../../enums/dialect.js'
import { normalizePredicate } from '../normalize/predicates.js'
import { apply, type Expression } from '../shape/query-shape.js'
import { isFalse, isNull, isPredicate, isTrue, toIsTrue } from './boolean-expressions.js'
import { searchedCaseOf } from './case-expression.js'

/** One form for what asks whether a condition is true, and for NULL tests that compare; the value is the same. */
export function normalizeBooleanTest(expression: Expression, dialect: Dialect): Expression {
  if (expression.kind !== 'apply') return expression
  const { op, args } = expression
  const [first, second] = args
  const negated = (condition: Expression): Expression => normalizePredicate(apply('not', condition), dialect)
  switch (op) {
    case 'not':
      return normalizePredicate(expression, dialect)
    case 'is_true':
      return first !== undefined && args.length === 1 && isPredicate(first) ? toIsTrue(first) : expression
    case 'coalesce':
      return first !== undefined && args.length === 2 && isPredicate(first) && isFalse(second)
        ? toIsTrue(first)
        : expression
    case 'case': {
      const cases = searchedCaseOf(expression)
      const [only] = cases?.branches ?? []
      if (cases === undefined || only === undefined || cases.branches.length > 1) return expression
      if (isTrue(only.result) && isFalse(cases.otherwise)) return toIsTrue(only.when)
      return isFalse(only.result) && isTrue(cases.otherwise) ? negated(toIsTrue(only.when)) : expression
    }
    case 'is_not_distinct':
    case '=': {
      const [tested, against] = isTrue(first) || isFalse(first) ? [second, first] : [first, second]
      if (tested === undefined || !isPredicate(tested)) return expression
      const value = op === '=' ? tested : toIsTrue(tested)
      if (isTrue(against)) return value
      if (!isFalse(against)) return expression
      return op === '=' ? negated(tested) : toIsTrue(negated(tested))
    }
    case 'is_null':
      // SQLite's nullif() compares without regard to the type of the column.
      return (dialect === 'sqlite' ? undefined : nullTest(first)) ?? expression
    default:
      return expression
  }
}

/** `nullif(x, 5) IS NULL` asks whether x is NULL or 5. */
function nullTest(value: Expression | undefined): Expression | undefined {
  if (value?.kind !== 'apply' || value.op !== 'nullif' || value.args.length !== 2) return undefined
  const [tested, against] = value.args
  if (tested === undefined || against?.kind !== 'literal' || isNull(against)) return undefined
  return apply('or', apply('is_null', tested), apply('=', tested, against))
}
