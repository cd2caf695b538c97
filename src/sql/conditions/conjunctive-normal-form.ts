import { isStable } from '../relational/known-functions.js'
import { apply, conjuncts, type Expression } from '../shape/query-shape.js'
import { falseLiteral, isFalse, isTrue, trueLiteral } from './boolean-expressions.js'
import { expressionKey } from './expression-key.js'
import { dropSubsumedDisjuncts, type ValueOrder } from './range-implication.js'

/** More clauses, or larger ones, are not made of one condition. */
const maxClauses = 36
const maxDisjuncts = 400

/**
 * A condition as conditions that hold together, each of them alternatives: `(a AND b) OR c` as `a OR c` and
 * `b OR c`. AND and OR distribute over one another in three-valued logic too. Without clauses that others imply,
 * these are the same for every way of writing the condition in its ANDs and ORs (prime implicates).
 */
export function toConjunctiveClauses(condition: Expression, order: ValueOrder): readonly Expression[] {
  const parts = conjuncts(condition)
  if (parts.length !== 1)
    return distinctConditions(parts.flatMap((part) => toConjunctiveClauses(part, order)))
  if (condition.kind !== 'apply' || condition.op !== 'or') return [condition]
  const options = condition.args.map((option) => toConjunctiveClauses(option, order))
  const size = options.reduce((product, clauses) => product * clauses.length, 1)
  if (size === 1) return [disjunctionOf(options.flat(), order, condition)]
  const { common, rest } = factorOutCommon(options)
  if (rest.some((clauses) => clauses.length === 0)) return common
  return [...common, ...(distributeOrOverAnd(rest, order) ?? [disjunctionOf(rest.map(conjunctionOf), order)])]
}

/** Each condition once. */
export function distinctConditions(conditions: readonly Expression[]): readonly Expression[] {
  if (conditions.length < 2) return conditions
  const byKey = new Map(conditions.map((condition) => [expressionKey(condition), condition]))
  return byKey.size === conditions.length ? conditions : [...byKey.values()]
}

/** Returns the conditions that all options share, and the rest of each. */
function factorOutCommon(options: readonly (readonly Expression[])[]): {
  readonly common: readonly Expression[]
  readonly rest: readonly (readonly Expression[])[]
} {
  const [first = [], ...others] = options
  const keys = others.map((clauses) => new Set(clauses.map(expressionKey)))
  const common = first.filter((clause) => keys.every((set) => set.has(expressionKey(clause))))
  const shared = new Set(common.map(expressionKey))
  const rest = options.map((clauses) => clauses.filter((clause) => !shared.has(expressionKey(clause))))
  return { common, rest }
}

function distributeOrOverAnd(
  options: readonly (readonly Expression[])[],
  order: ValueOrder,
): readonly Expression[] | undefined {
  const size = options.reduce((product, clauses) => product * clauses.length, 1)
  const width = options.flat().reduce((sum, clause) => sum + disjunctsOf(clause).length, 0)
  if (size > maxClauses || size * width > maxDisjuncts * options.length) return undefined
  if (!options.flat().every(isStable)) return undefined
  const products = options.reduce<readonly (readonly Expression[])[]>(
    (done, clauses) => done.flatMap((chosen) => clauses.map((clause) => [...chosen, clause])),
    [[]],
  )
  return products.map((chosen) => disjunctionOf(chosen, order))
}

function conjunctionOf(clauses: readonly Expression[]): Expression {
  const [only] = clauses
  return only !== undefined && clauses.length === 1 ? only : apply('and', ...clauses)
}

function disjunctsOf(clause: Expression): readonly Expression[] {
  return clause.kind === 'apply' && clause.op === 'or' ? clause.args.flatMap(disjunctsOf) : [clause]
}

/** One clause of the options; the written condition where it says just that. */
function disjunctionOf(parts: readonly Expression[], order: ValueOrder, written?: Expression): Expression {
  const offered = distinctConditions(parts.flatMap(disjunctsOf)).filter((option) => !isFalse(option))
  const options = dropSubsumedDisjuncts(offered, order)
  if (options.some(isTrue)) return trueLiteral
  const [only] = options
  if (only === undefined) return falseLiteral
  if (options.length === 1) return only
  const isWritten =
    written?.kind === 'apply' &&
    written.args.length === options.length &&
    written.args.every((arg, at) => arg === options[at])
  return isWritten ? written : apply('or', ...options)
}

/** More clauses than this are not compared with one another. */
const maxCompared = 80

/** Clauses without those that another implies by offering some of its alternatives only. */
export function withoutSubsumedClauses(clauses: readonly Expression[]): readonly Expression[] {
  const isSingle = clauses.every((clause) => clause.kind !== 'apply' || clause.op !== 'or')
  if (isSingle || clauses.length > maxCompared) return clauses
  const sets = clauses.map((clause) => new Set(disjunctsOf(clause).map(expressionKey)))
  const kept = clauses.filter((_, at) => {
    const own = sets[at] ?? new Set()
    return !sets.some((other, place) => place !== at && other.size < own.size && isSubset(other, own))
  })
  return kept.length === clauses.length ? clauses : kept
}

function isSubset(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  return [...part].every((key) => whole.has(key))
}
