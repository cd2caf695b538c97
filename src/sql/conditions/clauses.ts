import { isStable } from '../relational/functions-known.js'
import { apply, conjuncts, type Expression } from '../shape/query-shape.js'
import { keyOfExpression } from './keys.js'
import { type ValueOrder, weakest } from './ranges.js'
import { isFalse, isTrue, no, yes } from './truth.js'

/** More clauses, or larger ones, are not made of one condition. */
const maxClauses = 36
const maxOptions = 400

/**
 * A condition as conditions that hold together, each of them alternatives: `(a AND b) OR c` as `a OR c` and
 * `b OR c`. AND and OR distribute over one another in three-valued logic too. Without clauses that others imply,
 * these are the same for every way of writing the condition in its ANDs and ORs (prime implicates).
 */
export function clausesOf(condition: Expression, order: ValueOrder): readonly Expression[] {
  const parts = conjuncts(condition)
  if (parts.length !== 1) return distinctOnes(parts.flatMap((part) => clausesOf(part, order)))
  if (condition.kind !== 'apply' || condition.op !== 'or') return [condition]
  const options = condition.args.map((option) => clausesOf(option, order))
  const size = options.reduce((product, clauses) => product * clauses.length, 1)
  if (size === 1) return [alternatives(options.flat(), order, condition)]
  const { common, rest } = factored(options)
  if (rest.some((clauses) => clauses.length === 0)) return common
  return [...common, ...(distributed(rest, order) ?? [alternatives(rest.map(allOf), order)])]
}

/** Each condition once. */
export function distinctOnes(conditions: readonly Expression[]): readonly Expression[] {
  if (conditions.length < 2) return conditions
  const byKey = new Map(conditions.map((condition) => [keyOfExpression(condition), condition]))
  return byKey.size === conditions.length ? conditions : [...byKey.values()]
}

/** What all options say, and what is left of each. */
function factored(options: readonly (readonly Expression[])[]): {
  readonly common: readonly Expression[]
  readonly rest: readonly (readonly Expression[])[]
} {
  const [first = [], ...others] = options
  const keys = others.map((clauses) => new Set(clauses.map(keyOfExpression)))
  const common = first.filter((clause) => keys.every((set) => set.has(keyOfExpression(clause))))
  const shared = new Set(common.map(keyOfExpression))
  const rest = options.map((clauses) => clauses.filter((clause) => !shared.has(keyOfExpression(clause))))
  return { common, rest }
}

function distributed(
  options: readonly (readonly Expression[])[],
  order: ValueOrder,
): readonly Expression[] | undefined {
  const size = options.reduce((product, clauses) => product * clauses.length, 1)
  const width = options.flat().reduce((sum, clause) => sum + optionsOf(clause).length, 0)
  if (size > maxClauses || size * width > maxOptions * options.length) return undefined
  if (!options.flat().every(isStable)) return undefined
  const products = options.reduce<readonly (readonly Expression[])[]>(
    (done, clauses) => done.flatMap((chosen) => clauses.map((clause) => [...chosen, clause])),
    [[]],
  )
  return products.map((chosen) => alternatives(chosen, order))
}

function allOf(clauses: readonly Expression[]): Expression {
  const [only] = clauses
  return only !== undefined && clauses.length === 1 ? only : apply('and', ...clauses)
}

function optionsOf(clause: Expression): readonly Expression[] {
  return clause.kind === 'apply' && clause.op === 'or' ? clause.args.flatMap(optionsOf) : [clause]
}

/** One clause of the options; the written condition where it says just that. */
function alternatives(parts: readonly Expression[], order: ValueOrder, written?: Expression): Expression {
  const offered = distinctOnes(parts.flatMap(optionsOf)).filter((option) => !isFalse(option))
  const options = weakest(offered, order)
  if (options.some(isTrue)) return yes
  const [only] = options
  if (only === undefined) return no
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
export function withoutImplied(clauses: readonly Expression[]): readonly Expression[] {
  const isSingle = clauses.every((clause) => clause.kind !== 'apply' || clause.op !== 'or')
  if (isSingle || clauses.length > maxCompared) return clauses
  const sets = clauses.map((clause) => new Set(optionsOf(clause).map(keyOfExpression)))
  const kept = clauses.filter((_, at) => {
    const own = sets[at] ?? new Set()
    return !sets.some((other, place) => place !== at && other.size < own.size && isSubset(other, own))
  })
  return kept.length === clauses.length ? clauses : kept
}

function isSubset(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  return [...part].every((key) => whole.has(key))
}
