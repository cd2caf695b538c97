import { apply, type Expression } from '../shape/query-shape.js'
import { numberLiteral } from './function-table.js'

/** Day of the week from Monday, 1, to Sunday, 7. */
export function isoWeekday(date: Expression): Expression {
  return apply('isodow', date)
}

/** From Sunday, 0, to Saturday, 6. */
export function weekdayFromSunday(date: Expression): Expression {
  return apply('%', isoWeekday(date), numberLiteral('7'))
}

/** From Sunday, 1, to Saturday, 7. */
export function weekdayFromOne(date: Expression): Expression {
  return apply('+', weekdayFromSunday(date), numberLiteral('1'))
}

/** From Monday, 0, to Sunday, 6. */
export function weekdayFromMonday(date: Expression): Expression {
  return apply('-', isoWeekday(date), numberLiteral('1'))
}

/** `isodow(d) % 7 = 0` as `isodow(d) = 7`, and `(isodow(d) % 7 + 6) % 7` as `isodow(d) - 1`. */
export function foldWeekdays(expression: Expression): Expression {
  if (expression.kind !== 'apply' || expression.args.length !== 2) return expression
  const { op, args } = expression
  const [first, second] = args
  if (first === undefined || second === undefined) return expression
  const counted = op === '-' && integerOf(second) === 1 ? numbering(first) : undefined
  if (counted?.kind === 'sunday one') return weekdayFromSunday(counted.of)
  const added = op === '+' && integerOf(second) === 1 ? numbering(first) : undefined
  if (added?.kind === 'monday zero') return isoWeekday(added.of)
  if (op === '%') return shiftedWeek(first, second) ?? expression
  if (op !== '=' && op !== '<>') return expression
  const equal = sameDay(first, second) ?? sameDay(second, first)
  return equal === undefined ? expression : apply(op, ...equal)
}

function shiftedWeek(sum: Expression, divisor: Expression): Expression | undefined {
  if (integerOf(divisor) !== 7 || sum.kind !== 'apply' || sum.op !== '+') return undefined
  const [days, shift] = sum.args
  const date = days === undefined ? undefined : numbering(days)
  return date?.kind === 'sunday zero' && integerOf(shift) === 6 ? weekdayFromMonday(date.of) : undefined
}

function sameDay(value: Expression, literal: Expression): [Expression, Expression] | undefined {
  const day = integerOf(literal)
  const counted = numbering(value)
  if (day === undefined || counted === undefined) return undefined
  const iso = isoDay[counted.kind](day)
  return iso < 1 || iso > 7 ? undefined : [isoWeekday(counted.of), numberLiteral(String(iso))]
}

const isoDay = {
  'sunday zero': (day: number): number => (day === 0 ? 7 : day === 7 ? 0 : day),
  'sunday one': (day: number): number => (day === 1 ? 7 : day - 1),
  'monday zero': (day: number): number => day + 1,
}

interface Numbering {
  readonly kind: keyof typeof isoDay
  readonly of: Expression
}

/** How the expression counts the days of the week. */
function numbering(value: Expression): Numbering | undefined {
  if (value.kind !== 'apply' || value.args.length !== 2) return undefined
  const [first, second] = value.args
  const by = integerOf(second)
  if (first?.kind !== 'apply') return undefined
  const [date] = first.args
  if (first.op === 'isodow' && date !== undefined) {
    if (value.op === '%' && by === 7) return { kind: 'sunday zero', of: date }
    return value.op === '-' && by === 1 ? { kind: 'monday zero', of: date } : undefined
  }
  const inner = value.op === '+' && by === 1 ? numbering(first) : undefined
  return inner?.kind === 'sunday zero' ? { kind: 'sunday one', of: inner.of } : undefined
}

function integerOf(value: Expression | undefined): number | undefined {
  return value?.kind === 'literal' && value.type === 'number' && /^-?\d{1,9}$/u.test(value.value)
    ? Number(value.value)
    : undefined
}
