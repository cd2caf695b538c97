import type { Dialect } from '../../enums/dialect.js'
import { apply, type Expression } from '../shape/query-shape.js'
import { isNull } from './boolean-expressions.js'
import { buildCase, mapCaseResults, searchedCaseOf } from './case-expression.js'

const comparisons: ReadonlySet<string> = new Set(['=', '<>', '<', '<='])

/**
 * A comparison of a CASE with a literal, and its NULL test, as a CASE of comparisons, where some result is a
 * literal, so that comparisons can be decided. In SQLite and MySQL what is compared decides how, so that there all
 * results must be literals.
 */
export function pushComparisonIntoCase(expression: Expression, dialect: Dialect): Expression {
  if (expression.kind !== 'apply') return expression
  const { op, args } = expression
  const at = args.findIndex((arg) => searchedCaseOf(arg) !== undefined)
  const cases = args[at] && searchedCaseOf(args[at])
  if (cases === undefined) return expression
  const results = [...cases.branches.map(({ result }) => result), cases.otherwise]
  const isKnown = (result: Expression): boolean => result.kind === 'literal' || isNull(result)
  const isLoose = dialect === 'sqlite' || dialect === 'mysql'
  if (!(isLoose ? results.every(isKnown) : results.some(isKnown))) return expression
  if (op === 'is_null' && args.length === 1)
    return buildCase(mapCaseResults(cases, (result) => apply('is_null', result)))
  const other = args[1 - at]
  if (!comparisons.has(op) || args.length !== 2 || other?.kind !== 'literal') return expression
  const compared = (result: Expression): Expression =>
    isNull(result) ? result : apply(op, ...(at === 0 ? [result, other] : [other, result]))
  return buildCase(mapCaseResults(cases, compared))
}
