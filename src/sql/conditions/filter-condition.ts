import type { Dialect } from '../../enums/dialect.js'
import { expandRowEqualityInFilter, normalizePredicate } from '../normalize/predicates.js'
import { isSameExpression } from '../relational/column-references.js'
import { isStable } from '../relational/known-functions.js'
import { apply, type Expression } from '../shape/query-shape.js'
import { mapAll } from '../shape/rewrite-query.js'
import { strictlyTyped } from '../typing/strictly-typed.js'
import {
  falseLiteral,
  isFalse,
  isNonNullLiteral,
  isNull,
  isPredicate,
  isTrue,
} from './boolean-expressions.js'
import { caseToCondition, searchedCaseOf } from './case-expression.js'
import { negateDistinctTest, toNullSafeEquality } from './is-distinct-from.js'
import { type Bound, boundOf, compareLiterals, type Literal } from './literal-bounds.js'

/** A simpler condition that is true for the same rows: where rows are chosen, unknown is as good as false. */
export function simplifyFilterCondition(condition: Expression, dialect: Dialect): Expression {
  if (isNull(condition)) return falseLiteral
  if (condition.kind !== 'apply') return condition
  const { op, args } = condition
  const inner = (part: Expression): Expression => simplifyFilterCondition(part, dialect)
  const [first, second] = args
  switch (op) {
    case 'and':
    case 'or': {
      const paired = op === 'or' ? toNullSafeEquality(condition) : undefined
      if (paired !== undefined)
        return inner(paired.length === 1 && paired[0] ? paired[0] : apply('or', ...paired))
      const parts = mapAll(args, inner)
      return parts === args ? condition : apply(op, ...parts)
    }
    case 'not': {
      const negated = negateDistinctTest(first, dialect)
      return negated === undefined || isSameTest(negated, condition) ? condition : inner(negated)
    }
    case 'case': {
      const cases = searchedCaseOf(condition)
      const found = cases && caseToCondition(cases)
      return found === undefined ? condition : inner(found)
    }
    case 'array_surely_contains':
      return apply('array_contains', ...args)
    case 'is_true':
      return first !== undefined && args.length === 1 ? inner(first) : condition
    case 'coalesce':
      return first !== undefined && isFalse(second) && args.length === 2 ? inner(first) : condition
    case '=':
    case 'is_not_distinct':
      return (
        truthTest(first, second, dialect) ??
        truthTest(second, first, dialect) ??
        dropCoalesceDefault(condition, dialect) ??
        (op === '=' ? expandRowEqualityInFilter(first, second) : distinctTestToEquality(condition)) ??
        condition
      )
    case '<>':
    case '<':
    case '<=':
      return dropCoalesceDefault(condition, dialect) ?? condition
    default:
      return condition
  }
}

/** A test that is left as it is. */
function isSameTest(a: Expression, b: Expression): boolean {
  return a.kind === 'apply' && a.op === 'not' && isSameExpression(a, b)
}

/** `x IS NOT DISTINCT FROM 1` is `x = 1`. */
function distinctTestToEquality({ args }: Expression & { kind: 'apply' }): Expression | undefined {
  return args.some(isNonNullLiteral) && args.length === 2 ? apply('=', ...args) : undefined
}

/** `coalesce(x, 0) > 5` is `x > 5`, `coalesce(x, 0) < 5` is `x < 5 OR x IS NULL`. */
function dropCoalesceDefault(
  condition: Expression & { kind: 'apply' },
  dialect: Dialect,
): Expression | undefined {
  const bound = strictlyTyped.has(dialect) ? boundOf(condition) : undefined
  if (bound?.subject.kind !== 'apply' || bound.subject.op !== 'coalesce') return undefined
  const [value, otherwise, ...rest] = bound.subject.args
  if (value === undefined || otherwise?.kind !== 'literal' || rest.length > 0 || !isStable(value))
    return undefined
  if (otherwise.type !== bound.value.type || !keepsOrderAsFloat(otherwise, bound.value)) return undefined
  const order = compareLiterals(otherwise, bound.value)
  const isEquality = condition.op === '=' || condition.op === '<>'
  if (order === undefined || (Number.isNaN(order) && !isEquality)) return undefined
  const test = apply(condition.op, ...condition.args.map((arg) => (arg === bound.subject ? value : arg)))
  return holdsFor(bound.op, order) ? apply('or', test, apply('is_null', value)) : test
}

/** Whether the default is of the same size, and as far from the literal, in a column of small floats. */
function keepsOrderAsFloat(otherwise: Literal, value: Literal): boolean {
  if (otherwise.type !== 'number') return true
  const [a, b] = [Number(otherwise.value), Number(value.value)]
  return Math.fround(a) === a && Math.sign(a - Math.fround(b)) === Math.sign(a - b)
}

function holdsFor(op: Bound['op'], order: number): boolean {
  switch (op) {
    case '=':
      return order === 0
    case '<>':
      return order !== 0
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
  }
}

/** `p = TRUE` is p, `p = FALSE` is NOT p, for what is true, false or unknown. */
function truthTest(
  tested: Expression | undefined,
  against: Expression | undefined,
  dialect: Dialect,
): Expression | undefined {
  if (tested === undefined || !isPredicate(tested)) return undefined
  if (isTrue(against)) return simplifyFilterCondition(tested, dialect)
  if (!isFalse(against)) return undefined
  return simplifyFilterCondition(normalizePredicate(apply('not', tested), dialect), dialect)
}
