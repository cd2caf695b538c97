import type { Dialect } from '../../../enums/dialect.js'
import { numberLiteral } from '../../functions/function-table.js'
import { apply, type Expression } from '../../shape/query-shape.js'
import { isNotNull } from '../nullability.js'
import type { Facts } from '../table-facts.js'

/** Dialects whose truth values are the numbers 1 and 0. */
const truthIsNumber: ReadonlySet<Dialect> = new Set(['sqlite', 'mysql'])
const tests: ReadonlySet<string> = new Set([
  '=',
  '<>',
  '<',
  '<=',
  'like',
  'i_like',
  'is_null',
  'not',
  'exists',
])

/** `sum(a > 1)` as `sum(CASE WHEN a > 1 THEN 1 ELSE 0 END)`, where the test is never NULL, which a sum passes over. */
export function normalizeBooleanSums(expression: Expression, facts: Facts): Expression {
  if (expression.kind !== 'apply' || !truthIsNumber.has(facts.dialect)) return expression
  const [test, ...others] = expression.args
  const isSum = (expression.op === 'sum' || expression.op === 'avg') && others.length === 0
  if (!isSum || test === undefined || !isTest(test) || !isNotNull(test, facts, [])) return expression
  return apply(
    expression.op,
    apply('case', apply('when', test, numberLiteral('1')), apply('else', numberLiteral('0'))),
  )
}

function isTest(expression: Expression): boolean {
  return expression.kind === 'apply' && tests.has(expression.op)
}
