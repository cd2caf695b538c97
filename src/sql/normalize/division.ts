import type { Dialect } from '../../enums/dialect.js'
import { datePartOperators } from '../functions/extract.js'
import type { Assumptions } from '../relational/assumptions.js'
import { apply, type Expression } from '../shape/query-shape.js'
import { someExpression } from '../shape/rewrite-query.js'

/** Dialects in which the quotient of two integers is an integer; elsewhere `/` never rounds. */
export const integerDivision: ReadonlySet<Dialect> = new Set([
  'sqlite',
  'postgres',
  'redshift',
  'trino',
  'presto',
])

/** Of these, the ones that give a quotient of decimals the places of its operands: `1.0 / 3` is 0.3. */
export const decimalDivision: ReadonlySet<Dialect> = new Set(['trino', 'presto'])

/** Division of which one side is certainly a float, or a decimal where these keep places enough, does not round. */
export function normalizeDivision(
  expression: Expression,
  dialect: Dialect,
  assumptions: Assumptions | undefined,
): Expression {
  if (expression.kind !== 'apply' || expression.op !== '/' || expression.args.length !== 2) return expression
  if (!integerDivision.has(dialect)) return expression
  const isExact =
    expression.args.some((arg) => isFraction(arg, dialect)) ||
    assumptions?.assume('types', noRounding(dialect)) === true
  return isExact ? apply('fdiv', ...expression.args) : expression
}

function noRounding(dialect: Dialect): string {
  return decimalDivision.has(dialect)
    ? 'no division is one of integers or decimals'
    : 'no division is one of integers'
}

function isFraction(value: Expression, dialect: Dialect): boolean {
  const isRounded = decimalDivision.has(dialect)
  if (value.kind === 'literal')
    return value.type === 'number' && (isRounded ? /e/iu : /[.e]/iu).test(value.value)
  if (value.kind !== 'apply') return false
  const { op, args } = value
  const [first, second] = args
  if (op === 'fdiv' || (op === 'avg' && dialect !== 'redshift')) return true
  // SQLite's days are a difference of Julian days, which are fractions.
  if (op === 'days_between' || op === 'julian_days') return dialect === 'sqlite'
  // SQLite's decimals are integers where they have no fraction.
  const fractions =
    dialect === 'sqlite' || isRounded
      ? /^(?:double|float|real)/u
      : /^(?:double|float|real|decimal|timestamp)/u
  if (op === 'cast') return second?.kind === 'literal' && fractions.test(second.value)
  // Its EXTRACT gives numbers that are not rounded when they are divided.
  if (dialect === 'postgres' && datePartOperators.has(op)) return true
  if (op === '+' || op === '-' || op === '*' || op === '/')
    return args.some((arg) => isFraction(arg, dialect)) && !someExpression(value, isInterval)
  return (
    (op === 'nullif' || op === 'abs' || op === 'sum' || op === 'min' || op === 'max' || op === 'neg') &&
    first !== undefined &&
    isFraction(first, dialect)
  )
}

function isInterval(part: Expression): boolean {
  return part.kind === 'apply' && part.op === 'interval'
}
