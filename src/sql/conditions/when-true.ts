import type { Dialect } from '../../dialect.js'
import { unifyPredicates } from '../normalize/predicates.js'
import { apply, type Expression } from '../shape/query-shape.js'
import { mapAll } from '../shape/walk.js'
import { caseIsTrue, casesOf } from './cases.js'
import { isFalse, isNull, isPredicate, isTrue, no } from './truth.js'

/** A simpler condition that is true for the same rows: where rows are chosen, unknown is as good as false. */
export function whenTrue(condition: Expression, dialect: Dialect): Expression {
  if (isNull(condition)) return no
  if (condition.kind !== 'apply') return condition
  const { op, args } = condition
  const inner = (part: Expression): Expression => whenTrue(part, dialect)
  const [first, second] = args
  switch (op) {
    case 'and':
    case 'or': {
      const parts = mapAll(args, inner)
      return parts === args ? condition : apply(op, ...parts)
    }
    case 'case': {
      const cases = casesOf(condition)
      const found = cases && caseIsTrue(cases)
      return found === undefined ? condition : inner(found)
    }
    case 'is_true':
      return first !== undefined && args.length === 1 ? inner(first) : condition
    case 'coalesce':
      return first !== undefined && isFalse(second) && args.length === 2 ? inner(first) : condition
    case '=':
    case 'is_not_distinct':
      return truthTest(first, second, dialect) ?? truthTest(second, first, dialect) ?? condition
    default:
      return condition
  }
}

/** `p = TRUE` is p, `p = FALSE` is NOT p, for what is true, false or unknown. */
function truthTest(
  tested: Expression | undefined,
  against: Expression | undefined,
  dialect: Dialect,
): Expression | undefined {
  if (tested === undefined || !isPredicate(tested)) return undefined
  if (isTrue(against)) return whenTrue(tested, dialect)
  if (!isFalse(against)) return undefined
  return whenTrue(unifyPredicates(apply('not', tested), dialect), dialect)
}
