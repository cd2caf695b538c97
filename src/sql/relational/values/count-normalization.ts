import type { Dialect } from '../../../enums/dialect.js'
import { isNumberLiteral, numberLiteral } from '../../functions/function-table.js'
import { apply, type Expression } from '../../shape/query-shape.js'
import { isStable } from '../known-functions.js'

/**
 * One way to count: `count(CASE WHEN x IS NOT NULL THEN 1 END)` is `count(x)`, and `coalesce(sum(CASE WHEN c THEN 1 ELSE 0
 * END), 0)` counts, of no rows too. `count(*) - count(x)` counts NULLs. The least and the greatest of distinct values are those of all.
 */
export function normalizeCounts(expression: Expression, dialect: Dialect): Expression {
  if (expression.kind !== 'apply') return expression
  const { op, args } = expression
  const [first, second] = args
  if (first?.kind !== 'apply' || args.length > 2) return expression
  if (op === 'count' && args.length === 1) {
    const value = notNullTestedValue(first)
    return value === undefined ? expression : apply('count', value)
  }
  if (op === '=' && second?.kind === 'apply') {
    const nulls = countOfNulls(first, second) ?? countOfNulls(second, first)
    return nulls === undefined ? expression : apply('=', numberLiteral('0'), nulls)
  }
  if (op === '-' && second !== undefined) return countOfNulls(first, second) ?? expression
  if (op === 'coalesce' && first.op === 'sum' && first.args.length === 1 && isNumberLiteral(second, '0')) {
    const condition = conditionOf(first.args[0])
    return condition === undefined ? expression : countWhere(condition)
  }
  // In SQLite the one min() or max() of a query chooses the row of its plain columns.
  const isExtreme = (op === 'min' || op === 'max') && args.length === 1 && dialect !== 'sqlite'
  return isExtreme && first.op === 'distinct' && first.args.length === 1
    ? { ...expression, args: first.args }
    : expression
}

/** `count(*) - count(x)` */
function countOfNulls(all: Expression & { kind: 'apply' }, given: Expression): Expression | undefined {
  const [row] = all.op === 'count' && all.args.length === 1 ? all.args : []
  const [value, ...others] = given.kind === 'apply' && given.op === 'count' ? given.args : []
  const isAll = row?.kind === 'literal' && row.type !== 'null'
  if (!isAll || value === undefined || others.length > 0) return undefined
  return value.kind === 'column' ? countWhere(apply('is_null', value)) : undefined
}

/** `count(CASE WHEN c THEN 1 END)` */
export function countWhere(condition: Expression): Expression {
  return apply('count', apply('case', apply('when', condition, numberLiteral('1'))))
}

/** The value of `CASE WHEN x IS NOT NULL THEN 1 END`. */
function notNullTestedValue({ op, args }: Expression & { kind: 'apply' }): Expression | undefined {
  const [when] = args
  if (op !== 'case' || args.length !== 1 || when?.kind !== 'apply' || when.op !== 'when') return undefined
  const [test, result] = when.args
  const [inner] = test?.kind === 'apply' && test.op === 'not' ? test.args : []
  const [value] = inner?.kind === 'apply' && inner.op === 'is_null' ? inner.args : []
  const isOne = result?.kind === 'literal' && (result.type === 'number' || result.type === 'text')
  return isOne && value !== undefined && isStable(value) ? value : undefined
}

/** The condition of `CASE WHEN c THEN 1 ELSE 0 END`, or without ELSE. */
function conditionOf(value: Expression | undefined): Expression | undefined {
  if (value?.kind !== 'apply' || value.op !== 'case') return undefined
  const [when, otherwise, ...rest] = value.args
  if (when?.kind !== 'apply' || when.op !== 'when' || rest.length > 0) return undefined
  const isZero =
    otherwise === undefined ||
    (otherwise.kind === 'apply' && otherwise.op === 'else' && isNumberLiteral(otherwise.args[0], '0'))
  return isZero && isNumberLiteral(when.args[1], '1') ? when.args[0] : undefined
}
