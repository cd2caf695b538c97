import type { Dialect } from '../../enums/dialect.js'
import { falseLiteral, isNonNullLiteral } from '../conditions/boolean-expressions.js'
import { labelledPart } from '../functions/function-table.js'
import { apply, type Expression } from '../shape/query-shape.js'
import { isVolatile } from '../volatile-functions.js'

/**
 * One form for predicates that say the same, NULLs included: two bounds for BETWEEN, ORs for an IN list,
 * `<` and `<=` with their sides turned for `>` and `>=`, NOT pushed inwards, searched CASE.
 */
export function normalizePredicate(expression: Expression, dialect: Dialect): Expression {
  if (expression.kind !== 'apply') return expression
  const [first, second, third] = expression.args
  if (first === undefined) return expression
  switch (expression.op) {
    case '>':
    case '>=':
      return second === undefined ? expression : apply(expression.op === '>' ? '<' : '<=', second, first)
    case 'between':
      if (second === undefined || third === undefined || isVolatile(first)) return expression
      return apply('and', apply('<=', second, first), apply('<=', first, third))
    case 'in_list':
      if (expression.args.length > 2 && isVolatile(first)) return expression
      return anyOf(
        expression.args
          .slice(1)
          .map((item) => expandRowComparison('=', first, item, dialect) ?? apply('=', first, item)),
      )
    case 'any':
    case 'all':
      return quantified(expression.op, first, expression.args) ?? expression
    case '=':
    case '<>':
      return second === undefined
        ? expression
        : (expandRowComparison(expression.op, first, second, dialect) ?? expression)
    case 'and':
    case 'or':
      return expression.args.some((part) => part.kind === 'apply' && part.op === expression.op)
        ? flattenJunction(expression.op, expression.args)
        : expression
    case 'not':
      return negate(first, dialect)
    case 'neg':
      return negateNumber(first)
    case 'case':
      return isSearched(expression.args) || hasVolatileSubject(expression.args)
        ? expression
        : simpleToSearchedCase(expression.args)
    case 'is_true':
    case 'is_false':
      return truthTest(expression.op, first, expression.args) ?? expression
    case 'null_safe_eq':
      return expression.args.length === 2 ? apply('is_not_distinct', ...expression.args) : expression
    default:
      return expression
  }
}

/** `x IS NOT TRUE` is `NOT (x IS TRUE)`, and `x IS FALSE` is `(NOT x) IS TRUE`. */
function truthTest(op: string, value: Expression, args: readonly Expression[]): Expression | undefined {
  const isNegated = args.length === 2 && labelledPart(args, 'not') !== undefined
  if (args.length > (isNegated ? 2 : 1) || (op === 'is_true' && !isNegated)) return undefined
  if (op === 'is_false' && !(value.kind === 'apply' && predicates.has(value.op))) return undefined
  const test = apply('is_true', op === 'is_true' ? value : apply('not', value))
  return isNegated ? apply('not', test) : test
}

/** `x = ANY (…)` is `x IN (…)`, `x <> ALL (…)` is `x NOT IN (…)`; of a subquery or of a list that is written out. */
function quantified(
  op: 'any' | 'all',
  value: Expression,
  args: readonly Expression[],
): Expression | undefined {
  const [operator, of] = [labelledPart(args, 'op'), labelledPart(args, 'subquery')]
  const wanted = op === 'any' ? 'Eq' : 'Neq'
  if (operator?.kind !== 'literal' || operator.value !== wanted || args.length !== 3) return undefined
  const isListed = of?.kind === 'apply' && (of.op === 'array' || of.op === 'array_func') && of.args.length > 0
  const isList = isListed && of.args.every((item) => item.kind === 'literal') && !isVolatile(value)
  const found =
    of?.kind === 'query'
      ? apply('in', value, of)
      : isList
        ? anyOf(of.args.map((item) => apply('=', value, item)))
        : undefined
  return found === undefined || op === 'any' ? found : apply('not', found)
}

/** Dialects in which rows with NULLs are equal, or are not, as if NULL were a value. */
const rowsCompareNullsAsValues: ReadonlySet<Dialect> = new Set(['duckdb', 'spark'])

/** `(a, b) = (1, 2)` is `a = 1 AND b = 2`, NULLs included. */
function expandRowComparison(
  op: '=' | '<>',
  left: Expression,
  right: Expression,
  dialect: Dialect,
): Expression | undefined {
  return rowsCompareNullsAsValues.has(dialect) ? undefined : comparePairwise(op, left, right)
}

/** As `inParts`, where unknown is as good as false: what equals a row without NULLs has none. */
export function expandRowEqualityInFilter(
  left: Expression | undefined,
  right: Expression | undefined,
): Expression | undefined {
  if (left === undefined || right === undefined) return undefined
  const areGiven = (value: Expression): boolean =>
    value.kind === 'apply' && value.args.every(isNonNullLiteral)
  return areGiven(left) || areGiven(right) ? comparePairwise('=', left, right) : undefined
}

function comparePairwise(op: '=' | '<>', left: Expression, right: Expression): Expression | undefined {
  if (left.kind !== 'apply' || right.kind !== 'apply' || left.op !== 'tuple' || right.op !== 'tuple')
    return undefined
  if (left.args.length !== right.args.length || left.args.length < 2) return undefined
  const parts = left.args.flatMap((part, at) => {
    const other = right.args[at]
    return other === undefined ? [] : [apply(op, part, other)]
  })
  return apply(op === '=' ? 'and' : 'or', ...parts)
}

/** In SQLite nothing is in `()`, not even NULL, which is not unknown there. */
function anyOf(options: readonly Expression[]): Expression {
  const [only] = options
  if (only === undefined) return falseLiteral
  return options.length === 1 ? only : apply('or', ...options)
}

function flattenJunction(op: string, args: readonly Expression[]): Expression {
  return apply(op, ...args.flatMap((part) => (part.kind === 'apply' && part.op === op ? part.args : [part])))
}

const predicates: ReadonlySet<string> = new Set([
  '=',
  '<>',
  '<',
  '<=',
  'and',
  'or',
  'not',
  'in',
  'is_null',
  'exists',
  'like',
  'is_true',
  'is_not_distinct',
])

/** Dialects in which a float NaN is neither below nor above a number: there NOT (a < b) is not b <= a. */
export const unorderedNaN: ReadonlySet<Dialect> = new Set(['ansi', 'trino', 'presto', 'bigquery'])

function negate(expression: Expression, dialect: Dialect): Expression {
  const negation = apply('not', expression)
  if (expression.kind !== 'apply') return negation
  const [first, second] = expression.args
  switch (expression.op) {
    case 'and':
    case 'or':
      return flattenJunction(
        expression.op === 'and' ? 'or' : 'and',
        expression.args.map((part) => negate(part, dialect)),
      )
    case '=':
    case '<>':
      return apply(expression.op === '=' ? '<>' : '=', ...expression.args)
    case '<':
    case '<=':
      if (first === undefined || second === undefined || unorderedNaN.has(dialect)) return negation
      return apply(expression.op === '<' ? '<=' : '<', second, first)
    case 'not':
      return first?.kind === 'apply' && predicates.has(first.op) ? first : negation
    default:
      return negation
  }
}

function negateNumber(operand: Expression): Expression {
  if (operand.kind !== 'literal' || operand.type !== 'number') return apply('neg', operand)
  const value = operand.value.startsWith('-') ? operand.value.slice(1) : `-${operand.value}`
  return { ...operand, value }
}

function isSearched(args: readonly Expression[]): boolean {
  return args.every(
    (part) =>
      part.kind === 'apply' &&
      (part.op === 'when' ||
        (part.op === 'else' && !(part.args[0]?.kind === 'apply' && part.args[0].op === 'null'))),
  )
}

/** `CASE random() WHEN 1 … WHEN 2 …` asks once. */
function hasVolatileSubject(args: readonly Expression[]): boolean {
  return args.some((part) => part.kind === 'apply' && part.op === 'of' && isVolatile(part))
}

/** `CASE x WHEN 1` as `CASE WHEN x = 1`; `ELSE NULL` says nothing. */
function simpleToSearchedCase(args: readonly Expression[]): Expression {
  const [subject] = args.flatMap((part) => (part.kind === 'apply' && part.op === 'of' ? part.args : []))
  const branches = args.flatMap((part): Expression[] => {
    if (part.kind !== 'apply' || part.op === 'of') return part.kind === 'apply' ? [] : [part]
    const [first, result] = part.args
    if (part.op === 'else' && first?.kind === 'apply' && first.op === 'null') return []
    if (part.op !== 'when' || subject === undefined || first === undefined || result === undefined)
      return [part]
    return [apply('when', apply('=', subject, first), result)]
  })
  return apply('case', ...branches)
}
