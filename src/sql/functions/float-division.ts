import type { Dialect } from '../../enums/dialect.js'
import { isSameExpression } from '../relational/column-references.js'
import { apply, type Expression } from '../shape/query-shape.js'
import { mapAll } from '../shape/rewrite-query.js'
import { datePartOperators } from './extract.js'
import { numberLiteral } from './function-table.js'

/** The context in which a quotient is read. */
export interface QuotientContext {
  readonly dialect: Dialect
  /** Dividing by zero gives NULL in one of the databases: what the other guards against is no difference. */
  readonly isNullByZero: boolean
  /** Dividing by zero gives infinity here, and NULL in the other database. */
  readonly isInfiniteByZero: boolean
  /** Whether the value is a number; may assume so. */
  isNumber(value: Expression): boolean
  /** Whether it may be assumed that nothing is divided by zero. */
  assumeNoZeroDivision(): boolean
}

const nullByZero: ReadonlySet<Dialect> = new Set(['sqlite', 'mysql'])

export function givesNullByZero(dialect: Dialect, other: Dialect): boolean {
  return nullByZero.has(dialect) || nullByZero.has(other)
}

export function givesInfinityByZero(dialect: Dialect, other: Dialect): boolean {
  return dialect === 'duckdb' && nullByZero.has(other)
}

/**
 * One form for quotients that never round: without what only keeps them from rounding (`* 1.0`, a cast to a float), and
 * with one guard against zero, `nullif(b, 0)`, or none where zero gives NULL anyhow.
 */
export function normalizeQuotient(expression: Expression, context: QuotientContext): Expression {
  if (expression.kind !== 'apply') return expression
  const { op, args } = expression
  if (op === 'case') return caseGuardToNullif(args, context) ?? expression
  if (op === '*')
    return args.some(isQuotient) ? withArgs(expression, mapAll(args, withoutZeroFraction)) : expression
  const [dividend, divisor, ...rest] = args
  if (!divisions.has(op) || dividend === undefined || divisor === undefined || rest.length > 0)
    return expression
  const free = withoutZeroGuard(divisor)
  const isFree = free !== undefined && (context.isNullByZero || context.assumeNoZeroDivision())
  const by = isFree ? free : divisor
  if (op !== 'fdiv') return by === divisor ? expression : apply(op, dividend, by)
  const operands = [normalizeOperand(dividend, context), normalizeOperand(by, context)]
  const mayBeInfinite =
    context.isInfiniteByZero &&
    free === undefined &&
    !isOtherThanZero(divisor) &&
    !(isCountOfRows(divisor) && isNullOnEmptyInput(dividend))
  return mayBeInfinite && !context.assumeNoZeroDivision()
    ? apply('fdiv_or_infinity', ...operands)
    : withArgs(expression, operands)
}

const divisions: ReadonlySet<string> = new Set(['fdiv', '/', '%'])

function isQuotient(value: Expression): boolean {
  return value.kind === 'apply' && value.op === 'fdiv'
}

function withArgs(call: Expression & { kind: 'apply' }, args: readonly Expression[]): Expression {
  return args.every((arg, at) => arg === call.args[at]) ? call : { ...call, args }
}

/** `100.0` as `100`. */
function withoutZeroFraction(value: Expression): Expression {
  const isWhole = value.kind === 'literal' && value.type === 'number' && /^-?\d+\.0$/u.test(value.value)
  return isWhole ? numberLiteral(value.value.replace(/\.0$/u, '')) : value
}

function isOne(value: Expression | undefined): boolean {
  return value?.kind === 'literal' && value.type === 'number' && /^1(?:\.0)?$/u.test(value.value)
}

/** Returns an operand as a number that may be an integer: it is not rounded here. */
function normalizeOperand(value: Expression, context: QuotientContext): Expression {
  if (value.kind !== 'apply') return withoutZeroFraction(value)
  const { op, args } = value
  const [first, second] = args
  if (first === undefined || second === undefined || args.length !== 2) return value
  if (op === 'cast') return dropFloatCast(value, context)
  if (op === '*' && (isOne(first) || isOne(second)))
    return normalizeOperand(isOne(first) ? second : first, context)
  if (op === 'nullif') return withArgs(value, [normalizeOperand(first, context), withoutZeroFraction(second)])
  return calculations.has(op) && !args.some(isSpan)
    ? withArgs(
        value,
        mapAll(args, (arg) => normalizeOperand(arg, context)),
      )
    : value
}

const calculations: ReadonlySet<string> = new Set(['*', '+', '-'])

function isSpan(value: Expression): boolean {
  return value.kind === 'apply' && value.op === 'interval'
}

/** Dialects in which a cast to a decimal without a size rounds nothing. */
const exactDecimals: ReadonlySet<Dialect> = new Set(['postgres', 'sqlite'])

function dropFloatCast(value: Expression & { kind: 'apply' }, context: QuotientContext): Expression {
  const [inner, type] = value.args
  if (inner === undefined || type?.kind !== 'literal') return value
  const isFloat = /^(?:double|float|real)$/u.test(type.value)
  const isExact = type.value === 'decimal' && exactDecimals.has(context.dialect)
  const keeps = isFloat || isExact || (/^decimal(?: with \d+ places)?$/u.test(type.value) && isWhole(inner))
  return keeps && (isWhole(inner) || context.isNumber(inner)) ? normalizeOperand(inner, context) : value
}

/** A cast to an integer of what is one. */
export function dropIntegerCast(expression: Expression): Expression {
  if (expression.kind !== 'apply' || expression.op !== 'cast') return expression
  const [value, type] = expression.args
  const isInteger = type?.kind === 'literal' && /^(?:int|bigint)$/u.test(type.value)
  return isInteger && value !== undefined && (isWhole(value) || isPartOfDate(value)) ? value : expression
}

function isPartOfDate(value: Expression): boolean {
  if (value.kind !== 'apply') return false
  if (datePartOperators.has(value.op)) return true
  return calculations.has(value.op) || value.op === '%'
    ? value.args.every((arg) => isWhole(arg) || isPartOfDate(arg))
    : false
}

const wholeValues: ReadonlySet<string> = new Set([
  ...['count', 'length', 'octet_length', 'str_position', 'cardinality', 'approx_count_distinct'],
  ...[
    'days_between',
    'whole_units',
    'unit_boundaries',
    'cardinality_or_minus_one',
    'row_number',
    'rank',
    'dense_rank',
    'ntile',
  ],
])

/** Whether it certainly is an integer, of a type of integers. */
function isWhole(value: Expression): boolean {
  if (value.kind === 'literal') return value.type === 'number' && /^-?\d+$/u.test(value.value)
  if (value.kind !== 'apply') return false
  if (wholeValues.has(value.op)) return true
  if (value.op === 'sum' || value.op === 'min' || value.op === 'max')
    return value.args.length === 1 && value.args.every(isWhole)
  return value.op === 'case' && value.args.every((part) => hasWholeResult(part))
}

function hasWholeResult(part: Expression): boolean {
  if (part.kind !== 'apply' || (part.op !== 'when' && part.op !== 'else')) return false
  const result = part.args.at(-1)
  return result !== undefined && isWhole(result)
}

/** `nullif(b, 0)` guards b. */
function withoutZeroGuard(divisor: Expression): Expression | undefined {
  if (divisor.kind !== 'apply' || divisor.op !== 'nullif' || divisor.args.length !== 2) return undefined
  const [value, zero] = divisor.args
  return isZero(zero) ? value : undefined
}

/** Where there are no rows to count, a sum of theirs is NULL, and so is its quotient. */
function isNullOnEmptyInput(value: Expression): boolean {
  if (value.kind !== 'apply') return false
  if (value.op === 'sum' || value.op === 'avg') return value.args.length === 1
  return value.op === '*' && value.args.some(isNullOnEmptyInput)
}

function isCountOfRows(value: Expression): boolean {
  const [counted] = value.kind === 'apply' && value.op === 'count' ? value.args : []
  return counted?.kind === 'literal' && counted.value === '*'
}

function isOtherThanZero(value: Expression): boolean {
  return value.kind === 'literal' && value.type === 'number' && !isZero(value)
}

function isZero(value: Expression | undefined): boolean {
  return value?.kind === 'literal' && value.type === 'number' && /^0(?:\.0)?$/u.test(value.value)
}

/** `CASE WHEN b = 0 THEN NULL ELSE a / b END` and `CASE WHEN b <> 0 THEN a / b END` as `a / nullif(b, 0)`. */
function caseGuardToNullif(args: readonly Expression[], context: QuotientContext): Expression | undefined {
  const [when, otherwise] = args
  if (when?.kind !== 'apply' || when.op !== 'when' || args.length > 2) return undefined
  const [condition, result] = when.args
  if (condition?.kind !== 'apply' || condition.args.length !== 2) return undefined
  const [left, right] = condition.args
  const tested = isZero(right) ? left : isZero(left) ? right : undefined
  const last = otherwise?.kind === 'apply' && otherwise.op === 'else' ? otherwise.args[0] : undefined
  const quotient = condition.op === '=' && isNull(result) ? last : condition.op === '<>' ? result : undefined
  if (tested === undefined || quotient === undefined || (condition.op === '<>' && otherwise !== undefined))
    return undefined
  return addZeroGuard(quotient, tested, context)
}

function isNull(value: Expression | undefined): boolean {
  return (
    (value?.kind === 'apply' && value.op === 'null') || (value?.kind === 'literal' && value.type === 'null')
  )
}

/** The quotient, in a product or rounded, with a guard where it divides by the tested value. */
function addZeroGuard(
  value: Expression,
  tested: Expression,
  context: QuotientContext,
): Expression | undefined {
  if (value.kind !== 'apply') return undefined
  const [first, second] = value.args
  if (first === undefined) return undefined
  if (value.op === 'fdiv' || value.op === '/') {
    if (second === undefined) return undefined
    const divisor = normalizeOperand(withoutZeroGuard(second) ?? second, context)
    if (!isSameExpression(divisor, normalizeOperand(tested, context))) return undefined
    const by = context.isNullByZero ? divisor : apply('nullif', divisor, numberLiteral('0'))
    return { ...value, args: [first, by] }
  }
  const isAround = value.op === '*' || (value.op === 'round' && value.args.length <= 2)
  const inner = isAround ? addZeroGuard(first, tested, context) : undefined
  return inner === undefined
    ? undefined
    : normalizeQuotient({ ...value, args: [inner, ...value.args.slice(1)] }, context)
}
