import type { Dialect } from '../../../enums/dialect.js'
import {
  falseLiteral,
  isFalse,
  isNull,
  isPredicate,
  isTrue,
  trueLiteral,
} from '../../conditions/boolean-expressions.js'
import { normalizeCase } from '../../conditions/case-normalization.js'
import { compareLiterals } from '../../conditions/literal-bounds.js'
import { isCastTo } from '../../functions/casts.js'
import { textLiteral, textLiteralValue } from '../../functions/function-table.js'
import { apply, type Expression } from '../../shape/query-shape.js'
import { includesExpression, isSameExpression } from '../column-references.js'
import { isStable } from '../known-functions.js'

/** Computes what is constant: integer arithmetic, comparisons of literals, AND and OR with TRUE and FALSE, decided CASEs. */
export function foldConstants(expression: Expression, dialect: Dialect): Expression {
  if (expression.kind !== 'apply') return expression
  const { op, args } = expression
  switch (op) {
    case '+':
    case '-':
    case '*':
      return foldArithmetic(op, args) ?? expression
    case '=':
    case '<>':
    case '<':
    case '<=':
      return foldComparison(op, args) ?? expression
    case 'and':
    case 'or':
      return foldJunction(op, args, dialect) ?? expression
    case 'not':
      return isTrue(args[0]) ? falseLiteral : isFalse(args[0]) ? trueLiteral : expression
    case 'case':
      return (
        foldCase(args) ??
        unwrapUnlessTyped(sameInEachCase(args), dialect) ??
        normalizeCase(expression, dialect)
      )
    case 'coalesce':
      return firstNonNull(args, dialect) ?? flatCoalesce(args, dialect) ?? expression
    case '||':
      return dialect === 'mysql' ? expression : (foldConcatenation(args) ?? expression)
    case 'cast':
      return castOnce(args) ?? expression
    case 'is_not_distinct':
      return args.length === 2 && args.some(isNull) ? nullTest(args) : expression
    case 'upper':
    case 'lower':
      return foldLetterCase(op, args[0], dialect) ?? expression
    case 'is_null':
      return args[0]?.kind === 'literal' && args[0].type !== 'null' && args[0].type !== 'word'
        ? falseLiteral
        : isNull(args[0])
          ? trueLiteral
          : expression
    case 'count':
      return args.length === 1 && isLiteralValue(args[0])
        ? apply('count', { kind: 'literal', type: 'word', value: '*' })
        : withoutFilter(expression)
    default:
      return withoutFilter(expression)
  }
}

/** `FILTER (WHERE TRUE)` leaves nothing out. */
function withoutFilter(call: Expression & { kind: 'apply' }): Expression {
  const kept = call.args.filter(
    (arg) => !(arg.kind === 'apply' && arg.op === 'field:filter' && isTrue(arg.args[0])),
  )
  return kept.length === call.args.length ? call : apply(call.op, ...kept)
}

function isLiteralValue(value: Expression | undefined): boolean {
  return value?.kind === 'literal' && (value.type === 'number' || value.type === 'text')
}

function integer(value: Expression | undefined): number | undefined {
  if (value?.kind !== 'literal' || value.type !== 'number' || !/^-?\d{1,9}$/u.test(value.value))
    return undefined
  return Number(value.value)
}

/** Small integers only: larger ones overflow in one dialect and not in another. */
function foldArithmetic(op: '+' | '-' | '*', args: readonly Expression[]): Expression | undefined {
  const [first, second] = args
  if (args.length !== 2 || first === undefined || second === undefined) return undefined
  const [a, b] = [integer(first), integer(second)]
  if (a !== undefined && b !== undefined) return numeral(op === '+' ? a + b : op === '-' ? a - b : a * b)
  // (x + 1) + 2 and x - 1 as one sum: integers are added in any order.
  if (op === '*' || b === undefined || first.kind !== 'apply' || first.args.length !== 2) return undefined
  const inner = integer(first.args[1])
  const value = first.args[0]
  if (value === undefined || inner === undefined || (first.op !== '+' && first.op !== '-')) return undefined
  const sum = (first.op === '+' ? inner : -inner) + (op === '+' ? b : -b)
  const size = numeral(Math.abs(sum))
  return size === undefined ? undefined : apply(sum < 0 ? '-' : '+', value, size)
}

function numeral(value: number): Expression | undefined {
  return Math.abs(value) > 2_000_000_000
    ? undefined
    : { kind: 'literal', type: 'number', value: String(value) }
}

/** Nothing compares otherwise with -0 than with 0. */
function withoutZeroSign(value: Expression): Expression {
  const isSigned = value.kind === 'literal' && value.type === 'number' && /^-0(?:\.0)?$/u.test(value.value)
  return isSigned ? { ...value, value: value.value.slice(1) } : value
}

/** Comparisons of literals that all databases decide alike. */
function foldComparison(op: string, args: readonly Expression[]): Expression | undefined {
  const [a, b] = args
  const unsigned = args.map(withoutZeroSign)
  if (unsigned.some((arg, at) => arg !== args[at])) return apply(op, ...unsigned)
  if (a?.kind !== 'literal' || b?.kind !== 'literal' || !isLiteralValue(a)) return undefined
  const order = compareLiterals(a, b)
  if (order === undefined || (Number.isNaN(order) && (op === '<' || op === '<='))) return undefined
  const holds = op === '=' ? order === 0 : op === '<>' ? order !== 0 : op === '<' ? order < 0 : order <= 0
  return holds ? trueLiteral : falseLiteral
}

/** Dialects in which AND and OR take numbers for truth values. */
const numbersAreTruth: ReadonlySet<Dialect> = new Set(['sqlite', 'mysql', 'duckdb', 'snowflake'])

function foldJunction(
  op: 'and' | 'or',
  args: readonly Expression[],
  dialect: Dialect,
): Expression | undefined {
  const [isNeutral, isAbsorbing] = op === 'and' ? [isTrue, isFalse] : [isFalse, isTrue]
  const absorbing = args.find(isAbsorbing)
  if (absorbing !== undefined) return absorbing
  const rest = args.filter((arg) => !isNeutral(arg))
  if (rest.length === args.length) return undefined
  const [only] = rest
  if (only === undefined) return args[0]
  if (rest.length > 1) return apply(op, ...rest)
  // A number that counts as true becomes 1.
  return isPredicate(only) || !numbersAreTruth.has(dialect) ? only : undefined
}

function foldCase(args: readonly Expression[]): Expression | undefined {
  const [first, ...rest] = args
  if (first?.kind !== 'apply' || first.op !== 'when')
    return first?.kind === 'apply' && first.op === 'else' ? first.args[0] : undefined
  const [condition, result] = first.args
  if (isTrue(condition)) return result
  if (!isFalse(condition) && !isNull(condition)) return undefined
  if (rest.length === 0) return apply('null')
  return foldCase(rest) ?? apply('case', ...rest)
}

/** In SQLite a column compares as its type says, and what is computed of it does not. */
function unwrapUnlessTyped(value: Expression | undefined, dialect: Dialect): Expression | undefined {
  const isTyped =
    value?.kind === 'column' || value?.kind === 'query' || (value?.kind === 'apply' && value.op === 'cast')
  return isTyped && dialect === 'sqlite' ? undefined : value
}

function firstNonNull(args: readonly Expression[], dialect: Dialect): Expression | undefined {
  const [first, ...rest] = args
  if (first === undefined) return undefined
  if (rest.length === 0) return unwrapUnlessTyped(first, dialect)
  const at = args.findIndex(isLiteralValue)
  // An argument that is never returned may still determine the type of the value.
  if (at >= 0 && dialect !== 'sqlite' && !args.slice(at + 1).every((arg) => isAsWide(arg, args[at])))
    return undefined
  if (at === 0) return first
  const given = args.filter((arg, place) => !isNull(arg) && (at < 0 || place <= at))
  return given.length === args.length
    ? undefined
    : given.length === 1
      ? unwrapUnlessTyped(given[0], dialect)
      : apply('coalesce', ...given)
}

/** Beside a text all are texts; beside a number an integer changes nothing. */
function isAsWide(arg: Expression, literal: Expression | undefined): boolean {
  if (literal?.kind !== 'literal' || literal.type === 'text') return true
  return isNull(arg) || integer(arg) !== undefined
}

/** `coalesce(coalesce(a, b), a, c)` is `coalesce(a, b, c)`. */
function flatCoalesce(args: readonly Expression[], dialect: Dialect): Expression | undefined {
  const flat = args.flatMap((arg) => (arg.kind === 'apply' && arg.op === 'coalesce' ? arg.args : [arg]))
  const once = flat.filter((arg, at) => !isStable(arg) || !includesExpression(flat.slice(0, at), arg))
  if (once.length === args.length && once.every((arg, at) => arg === args[at])) return undefined
  return once.length === 1 ? unwrapUnlessTyped(once[0], dialect) : apply('coalesce', ...once)
}

/** `'a' || 'b'`, also at the end of a longer chain. */
function foldConcatenation([first, second, ...rest]: readonly Expression[]): Expression | undefined {
  if (first === undefined || second === undefined || rest.length > 0) return undefined
  const [start, end] = [textLiteralValue(first), textLiteralValue(second)]
  if (end === undefined) return undefined
  // Beside a column of CHAR(5) spaces at the end of a literal count for nothing, those of a text do.
  if (start !== undefined) return end.endsWith(' ') ? undefined : textLiteral(start + end)
  const [before, last] = first.kind === 'apply' && first.op === '||' ? first.args : []
  const middle = textLiteralValue(last)
  return before !== undefined && middle !== undefined
    ? apply('||', before, textLiteral(middle + end))
    : undefined
}

/** `CAST(CAST(x AS int) AS int)`. */
function castOnce([value, type]: readonly Expression[]): Expression | undefined {
  return value?.kind === 'apply' && type?.kind === 'literal' && isCastTo(value, type.value)
    ? value
    : undefined
}

/** `x IS NOT DISTINCT FROM NULL`. */
function nullTest(args: readonly Expression[]): Expression {
  return apply('is_null', args.find((arg) => !isNull(arg)) ?? apply('null'))
}

/** `CASE WHEN c THEN x ELSE x END`. */
function sameInEachCase(args: readonly Expression[]): Expression | undefined {
  const last = args.at(-1)
  if (last?.kind !== 'apply' || last.op !== 'else' || args.length < 2) return undefined
  const [otherwise] = last.args
  const isSame = args.every((part) => {
    const result = part.kind === 'apply' ? part.args.at(-1) : undefined
    return result !== undefined && otherwise !== undefined && isSameExpression(result, otherwise)
  })
  return isSame && otherwise !== undefined && isStable(otherwise) ? otherwise : undefined
}

/**
 * `upper(upper(x))`; not `upper(lower(x))`, since letters such as ß, ſ and İ do not come back from the other case. In
 * SQLite only ASCII letters have two cases.
 */
function foldLetterCase(
  op: 'upper' | 'lower',
  value: Expression | undefined,
  dialect: Dialect,
): Expression | undefined {
  const written = textLiteralValue(value)
  if (written !== undefined && /^[\u0020-\u007e]*$/u.test(written))
    return textLiteral(op === 'upper' ? written.toUpperCase() : written.toLowerCase())
  if (value?.kind !== 'apply' || value.args.length !== 1 || value.args[0] === undefined) return undefined
  const isOther = dialect === 'sqlite' && (value.op === 'upper' || value.op === 'lower')
  return value.op === op || isOther ? apply(op, value.args[0]) : undefined
}
