import type { Dialect } from '../../enums/dialect.js'
import { isoWeekday, weekdayFromSunday } from '../functions/weekdays.js'
import { apply, type Expression } from '../shape/query-shape.js'

interface Part {
  readonly of: (moment: Expression) => Expression
  readonly width: number
}

function named(name: string, width: number): Part {
  return { of: (moment) => apply(name, moment), width }
}

/** Parts of a date that are numbers, written as texts of fixed width. */
const parts: ReadonlyMap<string, Part> = new Map([
  ['%Y', named('year', 4)],
  ['%m', named('month', 2)],
  ['%d', named('day', 2)],
  ['%H', named('hour', 2)],
  ['%M', named('minute', 2)],
  ['%j', named('day_of_year', 3)],
  ['%w', { of: weekdayFromSunday, width: 1 }],
  ['%u', { of: isoWeekday, width: 1 }],
])

const arithmetic: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%'])

const comparisons: ReadonlySet<string> = new Set(['=', '<>', '<', '<='])

/** `strftime('%Y', d) = '2023'` asks for the year, and so does casting it to an integer or calculating with it. */
export function normalizeFormattedDates(expression: Expression, dialect: Dialect): Expression {
  if (expression.kind !== 'apply') return expression
  const { op, args } = expression
  const [first, second] = args
  if (op === 'cast' && second?.kind === 'literal' && /^(?:int|bigint)$/u.test(second.value)) {
    const value = first && partOf(first)?.value
    // There the number of a part is no integer, unless it is cast to one.
    if (value !== undefined && dialect === 'postgres') return { ...expression, args: [value, second] }
    return value ?? expression
  }
  if (arithmetic.has(op)) return apply(op, ...args.map((arg) => partOf(arg)?.value ?? arg))
  if (!comparisons.has(op) || first === undefined || second === undefined) return expression
  const [left, right] = [partOf(first), partOf(second)]
  if (left !== undefined && right !== undefined && left.width === right.width)
    return apply(op, left.value, right.value)
  if (left !== undefined)
    return withNumber(second, left.width, (number) => apply(op, left.value, number)) ?? expression
  if (right !== undefined)
    return withNumber(first, right.width, (number) => apply(op, number, right.value)) ?? expression
  return expression
}

function partOf(value: Expression): { readonly value: Expression; readonly width: number } | undefined {
  if (value.kind !== 'apply' || value.op !== 'format_time') return undefined
  const [format, moment] = value.args
  const part = format?.kind === 'literal' ? parts.get(format.value) : undefined
  return part === undefined || moment === undefined
    ? undefined
    : { value: part.of(moment), width: part.width }
}

/** Texts of one width compare as their numbers do. */
function withNumber(
  literal: Expression,
  width: number,
  make: (number: Expression) => Expression,
): Expression | undefined {
  if (
    literal.kind !== 'literal' ||
    literal.type !== 'text' ||
    literal.value.length !== width ||
    !/^\d+$/u.test(literal.value)
  )
    return undefined
  return make({ kind: 'literal', type: 'number', value: String(Number(literal.value)) })
}
