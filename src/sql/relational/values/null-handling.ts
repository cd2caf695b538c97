import { numberLiteral } from '../../functions/function-table.js'
import { apply, type Expression } from '../../shape/query-shape.js'
import { assumeNotNull, isNotNull } from '../nullability.js'
import type { Facts } from '../table-facts.js'

/**
 * Calls that treat NULLs in a way of their dialect, as what others call so where there are no NULLs: `count_if` of DuckDB as
 * a sum, `max_by`, `array_agg`, `count(DISTINCT a, b)`, `size`. May assume that columns hold none.
 */
export function normalizeNullHandling(expression: Expression, facts: Facts): Expression {
  if (expression.kind !== 'apply') return expression
  const { op, args } = expression
  const [first, ...rest] = args
  if (first === undefined) return expression
  switch (op) {
    case 'sum_of_truths':
      return isNotNullOrAssumed(first, facts)
        ? apply(
            'sum',
            apply('case', apply('when', first, numberLiteral('1')), apply('else', numberLiteral('0'))),
          )
        : expression
    case 'max_by_given':
    case 'min_by_given':
      return isNotNullOrAssumed(first, facts) ? { ...expression, op: op.replace('_given', '') } : expression
    case 'array_agg_given':
      return gathersAlike(first, facts) ? { ...expression, op: 'array_agg' } : expression
    case 'tuple_given':
      return args.every((arg) => isNotNullOrAssumed(arg, facts)) ? { ...expression, op: 'tuple' } : expression
    case 'cardinality_or_minus_one':
      return rest.length === 0 && isNotNullOrAssumed(first, facts) ? apply('cardinality', first) : expression
    default:
      return expression
  }
}

/** Of no rows there is no array in some dialects, and an empty one in others. */
function gathersAlike(value: Expression, facts: Facts): boolean {
  const [inner] = value.kind === 'apply' && value.op === 'distinct' ? value.args : [value]
  return (
    inner !== undefined &&
    isNotNullOrAssumed(inner, facts) &&
    facts.assumptions.assumeDialectDefault('nulls', 'no array is gathered from no rows')
  )
}

const total: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', 'and', 'or', 'not', '+', '-', '*'])

/** Whether the value is never NULL; may assume so of the columns that it is made of. */
function isNotNullOrAssumed(value: Expression, facts: Facts): boolean {
  if (isNotNull(value, facts, [])) return true
  if (value.kind === 'column') return assumeNotNull(value, facts, true)
  return (
    value.kind === 'apply' && total.has(value.op) && value.args.every((arg) => isNotNullOrAssumed(arg, facts))
  )
}
