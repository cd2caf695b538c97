import { includes } from '../relational/columns.js'
import { isStable } from '../relational/functions-known.js'
import { apply, type Expression } from '../shape/query-shape.js'
import { exclude } from './exclusion.js'
import { isFalse, isNull, isTrue, no, notSurely } from './truth.js'

export interface Branch {
  readonly when: Expression
  readonly result: Expression
}

/** A searched CASE; without ELSE it ends with NULL. */
export interface Cases {
  readonly branches: readonly Branch[]
  readonly otherwise: Expression
}

/** The parts of a searched CASE; undefined for anything else. */
export function casesOf(expression: Expression): Cases | undefined {
  if (expression.kind !== 'apply' || expression.op !== 'case') return undefined
  const branches: Branch[] = []
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

export function caseOf({ branches, otherwise }: Cases): Expression {
  const whens = branches.map(({ when, result }) => apply('when', when, result))
  return apply('case', ...whens, ...(isNull(otherwise) ? [] : [apply('else', otherwise)]))
}

/** The same CASE with something done to each of its results. */
export function mapResults(
  { branches, otherwise }: Cases,
  change: (result: Expression) => Expression,
): Cases {
  return {
    branches: branches.map(({ when, result }) => ({ when, result: change(result) })),
    otherwise: change(otherwise),
  }
}

/** `WHEN a OR b THEN x` as `WHEN a THEN x WHEN b THEN x`. */
function alternatives({ when, result }: Branch): readonly Branch[] {
  const options = when.kind === 'apply' && when.op === 'or' ? when.args : [when]
  return options.map((option) => ({ when: option, result }))
}

/**
 * When a CASE whose results are TRUE, FALSE or NULL is true: in a branch that says TRUE, and in no branch before
 * it that says otherwise. Branches that exclude one another need not be told apart. Undefined for other results.
 */
export function caseIsTrue(cases: Cases): Expression | undefined {
  const all = [...cases.branches.flatMap(alternatives), { when: undefined, result: cases.otherwise }]
  if (!all.every(({ result }) => isTrue(result) || isFalse(result) || isNull(result))) return undefined
  const options: Expression[] = []
  const passed: Expression[] = []
  for (const { when, result } of all) {
    if (when !== undefined && isStable(when) && includes(passed, when)) continue
    if (isTrue(result)) {
      const before = passed.filter((other) => when === undefined || !exclude(when, other)).map(notSurely)
      const conditions = [...(when === undefined ? [] : [when]), ...before]
      options.push(
        conditions.length === 1 && conditions[0] !== undefined ? conditions[0] : apply('and', ...conditions),
      )
    } else if (when !== undefined) passed.push(when)
  }
  const [only] = options
  if (only === undefined) return no
  return options.length === 1 ? only : apply('or', ...options)
}
