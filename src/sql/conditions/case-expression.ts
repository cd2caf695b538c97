import { includesExpression } from '../relational/column-references.js'
import { isStable } from '../relational/known-functions.js'
import { apply, type Expression } from '../shape/query-shape.js'
import { falseLiteral, isFalse, isNull, isTrue, toIsNotTrue } from './boolean-expressions.js'
import { areMutuallyExclusive } from './mutual-exclusion.js'

export interface CaseBranch {
  readonly when: Expression
  readonly result: Expression
}

/** A searched CASE; without ELSE it ends with NULL. */
export interface SearchedCase {
  readonly branches: readonly CaseBranch[]
  readonly otherwise: Expression
}

/** The parts of a searched CASE; undefined for anything else. */
export function searchedCaseOf(expression: Expression): SearchedCase | undefined {
  if (expression.kind !== 'apply' || expression.op !== 'case') return undefined
  const branches: CaseBranch[] = []
  let otherwise: Expression = apply('null')
  for (const part of expression.args) {
    if (part.kind !== 'apply') return undefined
    const [first, second] = part.args
    if (part.op === 'when' && first !== undefined && second !== undefined)
      branches.push({ when: first, result: second })
    else if (part.op === 'else' && first !== undefined) otherwise = first
    else return undefined
  }
  return branches.length === 0 ? undefined : { branches, otherwise }
}

export function buildCase({ branches, otherwise }: SearchedCase): Expression {
  const whens = branches.map(({ when, result }) => apply('when', when, result))
  return apply('case', ...whens, ...(isNull(otherwise) ? [] : [apply('else', otherwise)]))
}

/** The same CASE with something done to each of its results. */
export function mapCaseResults(
  { branches, otherwise }: SearchedCase,
  change: (result: Expression) => Expression,
): SearchedCase {
  return {
    branches: branches.map(({ when, result }) => ({ when, result: change(result) })),
    otherwise: change(otherwise),
  }
}

/** `WHEN a OR b THEN x` as `WHEN a THEN x WHEN b THEN x`. */
function splitOrBranch({ when, result }: CaseBranch): readonly CaseBranch[] {
  const options = when.kind === 'apply' && when.op === 'or' ? when.args : [when]
  return options.map((option) => ({ when: option, result }))
}

/**
 * When a CASE whose results are TRUE, FALSE or NULL is true: in a branch that says TRUE, and in no branch before
 * it that says otherwise. Branches that exclude one another need not be distinguished. Undefined for other results.
 */
export function caseToCondition(cases: SearchedCase): Expression | undefined {
  const all = [...cases.branches.flatMap(splitOrBranch), { when: undefined, result: cases.otherwise }]
  if (!all.every(({ result }) => isTrue(result) || isFalse(result) || isNull(result))) return undefined
  const options: Expression[] = []
  const passed: Expression[] = []
  for (const { when, result } of all) {
    if (when !== undefined && isStable(when) && includesExpression(passed, when)) continue
    if (isTrue(result)) {
      const before = passed
        .filter((other) => when === undefined || !areMutuallyExclusive(when, other))
        .map(toIsNotTrue)
      const conditions = [...(when === undefined ? [] : [when]), ...before]
      options.push(
        conditions.length === 1 && conditions[0] !== undefined ? conditions[0] : apply('and', ...conditions),
      )
    } else if (when !== undefined) passed.push(when)
  }
  const [only] = options
  if (only === undefined) return falseLiteral
  return options.length === 1 ? only : apply('or', ...options)
}
