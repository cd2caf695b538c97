import type { Dialect } from '../../enums/dialect.js'
import { normalizePredicate } from '../normalize/predicates.js'
import { isSameExpression } from '../relational/column-references.js'
import { isStable } from '../relational/known-functions.js'
import { apply, type Expression } from '../shape/query-shape.js'
import { isFalse, isNonNullLiteral, isTrue, toIsNotTrue } from './boolean-expressions.js'

type Call = Expression & { readonly kind: 'apply' }

/**
 * The negation of a test that is never unknown, in comparisons and NULL tests: `x IS DISTINCT FROM 1` and
 * `(x = 1) IS NOT TRUE` are `x <> 1 OR x IS NULL`. Undefined for anything else.
 */
export function negateDistinctTest(test: Expression | undefined, dialect: Dialect): Expression | undefined {
  if (test?.kind !== 'apply') return undefined
  const [first, second] = test.args
  if (test.op === 'is_true')
    return first !== undefined && test.args.length === 1 ? falseOrUnknown(first, dialect) : undefined
  if (test.op === 'coalesce')
    return first !== undefined && isFalse(second) && test.args.length === 2
      ? falseOrUnknown(first, dialect)
      : undefined
  const isOfValue =
    test.op === 'is_not_distinct' && test.args.length === 2 && test.args.some(isNonNullLiteral)
  return isOfValue ? falseOrUnknown(apply('=', ...test.args), dialect) : undefined
}

const comparisons: ReadonlySet<string> = new Set(['=', '<>', '<', '<='])

/** That a condition is false or unknown. */
function falseOrUnknown(condition: Expression, dialect: Dialect): Expression {
  if (condition.kind !== 'apply' || !isStable(condition)) return toIsNotTrue(condition)
  const { op, args } = condition
  if (op === 'and' || op === 'or')
    return apply(op === 'and' ? 'or' : 'and', ...args.map((part) => falseOrUnknown(part, dialect)))
  if (!comparisons.has(op) || args.length !== 2) return toIsNotTrue(condition)
  const unknown = args.filter((arg) => !isNonNullLiteral(arg) && !isTrue(arg) && !isFalse(arg))
  if (unknown.some((arg) => arg.kind !== 'column')) return toIsNotTrue(condition)
  const tests = unknown.map((arg) => apply('is_null', arg))
  return apply('or', normalizePredicate(apply('not', condition), dialect), ...tests)
}

/** `a = b OR (a IS NULL AND b IS NULL)` is `a IS NOT DISTINCT FROM b`; undefined where no options say so. */
export function toNullSafeEquality({ args }: Call): readonly Expression[] | undefined {
  const pairs = args.filter(isNullPair)
  if (pairs.length === 0) return undefined
  for (const equation of args) {
    if (equation.kind !== 'apply' || equation.op !== '=' || !isStable(equation)) continue
    const [a, b] = equation.args
    if (a === undefined || b === undefined) continue
    const bothNull = pairs.find((option) => areNull(option, a, b))
    if (bothNull === undefined) continue
    const rest = args.filter((option) => option !== equation && option !== bothNull)
    return [apply('is_not_distinct', a, b), ...rest]
  }
  return undefined
}

function isNullPair(option: Expression): option is Call {
  if (option.kind !== 'apply' || option.op !== 'and' || option.args.length !== 2) return false
  return option.args.every((arg) => arg.kind === 'apply' && arg.op === 'is_null')
}

function areNull({ args }: Call, a: Expression, b: Expression): boolean {
  const tested = args.map((arg) => (arg.kind === 'apply' ? arg.args[0] : undefined))
  const has = (value: Expression): boolean =>
    tested.some((arg) => arg !== undefined && isSameExpression(arg, value))
  return has(a) && has(b)
}
