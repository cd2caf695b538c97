import type { Dialect } from '../../enums/dialect.js'
import { createExpressionSet, includesExpression, isSameExpression } from '../relational/column-references.js'
import { isStable } from '../relational/known-functions.js'
import { apply, type Expression } from '../shape/query-shape.js'
import { isNonNullLiteral, isNull } from './boolean-expressions.js'
import { buildCase, type CaseBranch, type SearchedCase, searchedCaseOf } from './case-expression.js'

/**
 * Returns a searched CASE in one form: without another in its ELSE, with adjacent branches of one result merged, and as
 * COALESCE or NULLIF where it only chooses a given value. Returns the same object where it already has this form.
 */
export function normalizeCase(expression: Expression, dialect: Dialect): Expression {
  const cases = searchedCaseOf(expression)
  if (cases === undefined) return expression
  const inner = searchedCaseOf(cases.otherwise)
  if (inner !== undefined)
    return normalizeCase(buildCase({ ...inner, branches: [...cases.branches, ...inner.branches] }), dialect)
  const chosen = toCoalesceOrNullif(cases, dialect)
  if (chosen !== undefined) return chosen
  const branches = mergeBranches(cases)
  return branches === cases.branches ? expression : buildCase({ ...cases, branches })
}

/**
 * `WHEN a THEN x WHEN b THEN x` is `WHEN a OR b THEN x`; a last branch that says what ELSE says is none, nor is one whose
 * condition has been asked before.
 */
function mergeBranches({ branches, otherwise }: SearchedCase): readonly CaseBranch[] {
  const kept: { readonly branch: CaseBranch; readonly alternatives: Expression[] }[] = []
  const passed = createExpressionSet()
  for (const branch of branches) {
    const before = kept.at(-1)
    if (isStable(branch.when) && passed.has(branch.when)) continue
    passed.add(branch.when)
    const isSame =
      before !== undefined && isSameExpression(before.branch.result, branch.result) && isStable(branch.when)
    if (isSame && isStable(branch.result)) before.alternatives.push(branch.when)
    else kept.push({ branch, alternatives: [] })
  }
  const last = kept.at(-1)
  const isLastSaid =
    last !== undefined &&
    isSameExpression(last.branch.result, otherwise) &&
    [last.branch.when, ...last.alternatives].every(isStable)
  if (kept.length > 1 && isLastSaid) kept.pop()
  if (kept.length === branches.length) return branches
  return kept.map(({ branch, alternatives }) =>
    alternatives.length === 0 ? branch : { ...branch, when: disjunctionOf(branch.when, alternatives) },
  )
}

function disjunctionOf(first: Expression, others: readonly Expression[]): Expression {
  return apply('or', ...(first.kind === 'apply' && first.op === 'or' ? first.args : [first]), ...others)
}

/** `CASE WHEN x IS NULL THEN y ELSE x END`, `CASE WHEN x = y THEN NULL ELSE x END`; both after other branches too. */
function toCoalesceOrNullif({ branches, otherwise }: SearchedCase, dialect: Dialect): Expression | undefined {
  const last = branches.at(-1)
  if (last === undefined) return undefined
  const value = toCoalesce(last, otherwise) ?? toNullif(last, otherwise, dialect)
  if (value === undefined) return undefined
  const before = branches.slice(0, -1)
  return before.length === 0
    ? value
    : normalizeCase(buildCase({ branches: before, otherwise: value }), dialect)
}

function toCoalesce({ when, result }: CaseBranch, otherwise: Expression): Expression | undefined {
  const [isNegated, test] = when.kind === 'apply' && when.op === 'not' ? [true, when.args[0]] : [false, when]
  const [tested] = test?.kind === 'apply' && test.op === 'is_null' ? test.args : []
  if (tested === undefined || !isStable(tested)) return undefined
  const [given, other] = isNegated ? [result, otherwise] : [otherwise, result]
  return isSameExpression(tested, given) && !isNull(other) ? apply('coalesce', given, other) : undefined
}

/** In SQLite and MySQL a comparison converts what it compares, and NULLIF need not. */
function toNullif(
  { when, result }: CaseBranch,
  otherwise: Expression,
  dialect: Dialect,
): Expression | undefined {
  if (dialect === 'sqlite' || dialect === 'mysql' || when.kind !== 'apply' || when.args.length !== 2)
    return undefined
  const isEqual = when.op === '=' && isNull(result)
  if (!isEqual && !(when.op === '<>' && isNull(otherwise))) return undefined
  const value = isEqual ? otherwise : result
  if (!isStable(value) || value.kind === 'literal' || !includesExpression(when.args, value)) return undefined
  const other = when.args.find((arg) => !isSameExpression(arg, value))
  // `x <> NULL` is never true, and NULLIF(x, NULL) is x.
  return other !== undefined && isNonNullLiteral(other) ? apply('nullif', value, other) : undefined
}
