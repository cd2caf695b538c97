import { isSameExpression } from '../relational/column-references.js'
import { apply, type Expression } from '../shape/query-shape.js'
import { mapAll } from '../shape/rewrite-query.js'
import { castToDay, dateTrunc, interval, numberLiteral, textLiteralValue, today } from './function-table.js'

/** Whether the day of a moment is that of the session, where moments have time zones of their own. */
export type ZoneTest = (moment: Expression) => boolean

/**
 * One form for dates that are moved and cut: whole weeks as days, quarters and years as months; the start of a month
 * moved by months is moved once; what a cut makes of a moved date is the moved cut.
 */
export function normalizeIntervals(expression: Expression, isInOneZone: ZoneTest = () => true): Expression {
  if (expression.kind !== 'apply') return expression
  const { op } = expression
  const args = asMoments.has(op)
    ? mapAll(expression.args, (arg) => withoutCast(arg, isInOneZone))
    : expression.args
  const [first, second] = args
  const settled = args === expression.args ? expression : { ...expression, args }
  if (comparisons.has(op)) {
    const asDays = mapAll(args, (arg) => dayStartToDate(arg, isInOneZone))
    return asDays === args ? settled : { ...expression, args: asDays }
  }
  if (op === 'days_between') {
    const dates = datesOf(args)
    return dates === args ? settled : { ...expression, args: dates }
  }
  if (op === 'interval') return inDaysOrMonths(first, second) ?? expression
  if ((op === '+' || op === '-') && first !== undefined && second !== undefined && args.length === 2)
    return startOfWeek(op, first, second) ?? normalizeShift(op, first, second) ?? settled
  if (op === 'date_trunc' && second !== undefined && args.length === 2)
    return normalizeTruncation(textLiteralValue(first), second, isInOneZone) ?? expression
  if (op === 'cast' && first !== undefined && second?.kind === 'literal' && second.value === 'date')
    return day(first) ?? expression
  if (ofWholeDays.has(op) || op === 'format_time') return ignoreTimeOfDay(op, args) ?? expression
  if (op === 'last_day' && first !== undefined && args.length === 1) return lastDay(first)
  return expression
}

const comparisons: ReadonlySet<string> = new Set(['=', '<>', '<', '<='])

/** Where a date and its midnight are the same. */
const asMoments: ReadonlySet<string> = new Set([...comparisons, '+', '-'])

function withoutCast(value: Expression, isInOneZone: ZoneTest): Expression {
  const inner = castOf(value)
  if (inner === undefined || !isDay(inner)) return value
  const date = truncationOf(inner)?.date
  return date === undefined || isInOneZone(date) ? inner : value
}

/** Of a comparison: the start of a day is the day. */
function dayStartToDate(value: Expression, isInOneZone: ZoneTest): Expression {
  const cut = truncationOf(value)
  return cut?.unit === 'day' && isInOneZone(cut.date) ? castToDay(cut.date) : value
}

/** A day as a moment: what is cast to a date is cut to its day, where it may have a time at all. */
export function startOfDay(value: Expression): Expression {
  const inner = castOf(value)
  if (inner === undefined) return value
  return isDay(inner) ? inner : dateTrunc('day', inner)
}

/** Removes casts to a date: a count of days between two dates ignores the time of day. */
function datesOf(args: readonly Expression[]): readonly Expression[] {
  return mapAll(args, (arg) => castOf(arg) ?? arg)
}

const ofWholeDays: ReadonlySet<string> = new Set([
  'year',
  'quarter',
  'month',
  'day',
  'isodow',
  'day_of_year',
  'week_of_year',
])

/** A function that depends on the day alone gives the same for now and for today. */
function ignoreTimeOfDay(op: string, args: readonly Expression[]): Expression | undefined {
  const [date] = args.slice(-1)
  const isWhole = op !== 'format_time' || !/%-?[HIMSpsT]/u.test(textLiteralValue(args[0]) ?? '%H')
  if (date?.kind !== 'apply' || !isWhole) return undefined
  const bare = isNow(date) ? today : castOf(date)
  return bare && apply(op, ...args.slice(0, -1), bare)
}

function isNow(value: Expression): boolean {
  return value.kind === 'apply' && value.op === 'current_timestamp' && value.args.length === 0
}

/** SQLite makes 3 March of a month after 31 January, where others stop at the end of February. */
export function overflowingUnit(unit: string): string {
  return `${unit}, overflowing`
}

/** The unit without its overflow; undefined where it has none. */
export function withoutOverflow(unit: string): string | undefined {
  return /^(\w+), overflowing$/u.exec(unit)?.[1]
}

const larger: ReadonlyMap<string, { readonly unit: string; readonly count: number }> = new Map([
  ['week', { unit: 'day', count: 7 }],
  ['quarter', { unit: 'month', count: 3 }],
  ['year', { unit: 'month', count: 12 }],
])

function inDaysOrMonths(
  amount: Expression | undefined,
  unit: Expression | undefined,
): Expression | undefined {
  const whole = larger.get(unit?.kind === 'literal' ? unit.value : '')
  const count = integerOf(amount)
  return whole === undefined || count === undefined
    ? undefined
    : interval(numberLiteral(String(count * whole.count)), whole.unit)
}

interface Span {
  readonly count: number
  readonly unit: string
}

/** A span of a number of days or months, negative where it is taken away. */
function spanOf(op: '+' | '-', span: Expression): Span | undefined {
  if (span.kind !== 'apply' || span.op !== 'interval') return undefined
  const [amount, unit] = span.args
  const count = integerOf(amount)
  if (count === undefined || unit?.kind !== 'literal' || !/^(?:day|month)$/u.test(unit.value))
    return undefined
  return { count: op === '-' ? -count : count, unit: unit.value }
}

function addSpan(date: Expression, { count, unit }: Span): Expression {
  if (count === 0) return date
  return apply(count < 0 ? '-' : '+', date, interval(numberLiteral(String(Math.abs(count))), unit))
}

/** A date and by how much it is moved; undefined where it is not. */
function shiftOf(value: Expression): { readonly date: Expression; readonly span: Span } | undefined {
  if (value.kind !== 'apply' || (value.op !== '+' && value.op !== '-') || value.args.length !== 2)
    return undefined
  const [date, by] = value.args
  const span = by === undefined ? undefined : spanOf(value.op, by)
  return date === undefined || span === undefined ? undefined : { date, span }
}

function normalizeShift(op: '+' | '-', first: Expression, second: Expression): Expression | undefined {
  const isTurned = op === '+' && first.kind === 'apply' && first.op === 'interval'
  return isTurned ? combineShifts(op, second, first) : combineShifts(op, first, second)
}

/** Days add up; months do where no day of the month is cut off. */
function combineShifts(op: '+' | '-', date: Expression, by: Expression): Expression | undefined {
  const span = spanOf(op, by)
  if (span === undefined) return undefined
  const before = shiftOf(date)
  const adds = before?.span.unit === span.unit && (span.unit === 'day' || isMonthStart(before.date))
  if (before !== undefined && adds)
    return addSpan(before.date, { unit: span.unit, count: before.span.count + span.count })
  const plain = addSpan(date, span)
  return op === (span.count < 0 ? '-' : '+') && span.count !== 0 ? undefined : plain
}

const monthStarts: ReadonlySet<string> = new Set(['month', 'quarter', 'year'])

function truncationOf(value: Expression): { readonly unit: string; readonly date: Expression } | undefined {
  if (value.kind !== 'apply' || value.op !== 'date_trunc') return undefined
  const [unit, date] = value.args
  const name = textLiteralValue(unit)
  return name === undefined || date === undefined ? undefined : { unit: name, date }
}

/** Whether it is the start of a month, quarter or year, moved by months or not. */
export function isMonthStart(value: Expression): boolean {
  const move = shiftOf(value)
  if (move?.span.unit === 'month') return isMonthStart(move.date)
  return monthStarts.has(truncationOf(value)?.unit ?? '')
}

/** Months that a unit holds: moving by a multiple of them and cutting may change places. */
const monthsIn: ReadonlyMap<string, number> = new Map([
  ['month', 1],
  ['quarter', 3],
  ['year', 12],
])

const daysIn: ReadonlyMap<string, number> = new Map([
  ['day', 1],
  ['week', 7],
])

function normalizeTruncation(
  unit: string | undefined,
  value: Expression,
  isInOneZone: ZoneTest,
): Expression | undefined {
  if (unit === undefined) return undefined
  if (unit === 'week') {
    const monday = mondayOf(value)
    if (monday !== undefined) return dateTrunc('week', monday)
  }
  const move = shiftOf(value)
  const step = move?.span.unit === 'day' ? daysIn.get(unit) : monthsIn.get(unit)
  if (move !== undefined && step !== undefined && move.span.count % step === 0)
    return addSpan(normalizeIntervals(dateTrunc(unit, move.date), isInOneZone), move.span)
  const isWhole = monthsIn.has(unit) || daysIn.has(unit)
  const bare = !isWhole ? undefined : isNow(value) ? today : castOf(value)
  if (bare !== undefined && isInOneZone(bare)) return dateTrunc(unit, bare)
  if (unit !== 'day') return undefined
  const monday = mondayOf(value)
  return monday === undefined ? undefined : dateTrunc('week', monday)
}

/** Returns the operand of a cast to a date: removing the time of day does not change any longer unit. */
function castOf(value: Expression): Expression | undefined {
  if (value.kind !== 'apply' || value.op !== 'cast') return undefined
  const [inner, type] = value.args
  return type?.kind === 'literal' && type.value === 'date' ? inner : undefined
}

/** `d - (isodow(d) - 1) days` is the Monday of the week of d, at the same time of the day. */
function mondayOf(value: Expression): Expression | undefined {
  if (value.kind !== 'apply' || (value.op !== '-' && value.op !== '+')) return undefined
  const [date, span] = value.args
  if (date === undefined || span?.kind !== 'apply' || span.op !== 'interval') return undefined
  const [amount, unit] = span.args
  if (unit?.kind !== 'literal' || unit.value !== 'day' || amount === undefined) return undefined
  const days =
    value.op === '-' ? amount : amount.kind === 'apply' && amount.op === 'neg' ? amount.args[0] : undefined
  const [weekday, one] = days?.kind === 'apply' && days.op === '-' ? days.args : []
  if (integerOf(one) !== 1 || weekday?.kind !== 'apply' || weekday.op !== 'isodow') return undefined
  const [of] = weekday.args
  return of !== undefined && isSameExpression(of, date) ? date : undefined
}

function startOfWeek(op: '+' | '-', date: Expression, span: Expression): Expression | undefined {
  return isDay(date) && mondayOf(apply(op, date, span)) !== undefined ? dateTrunc('week', date) : undefined
}

/** Whether it certainly has no time of the day. */
function isDay(value: Expression): boolean {
  if (value.kind === 'literal') return value.type === 'date'
  if (value.kind !== 'apply') return false
  const unit = truncationOf(value)?.unit
  if (unit !== undefined) return monthsIn.has(unit) || daysIn.has(unit)
  const move = shiftOf(value)
  return (
    value.op === 'current_date' || castOf(value) !== undefined || (move !== undefined && isDay(move.date))
  )
}

function day(value: Expression): Expression | undefined {
  if (isNow(value)) return today
  const monday = mondayOf(value)
  if (monday !== undefined) return dateTrunc('week', monday)
  const text = isoText(value)
  if (text !== undefined) return castToDay(text)
  return isDay(value) && truncationOf(value) === undefined ? value : undefined
}

/** A text that is read as a day in the ISO format, as a cast reads it. */
function isoText(value: Expression): Expression | undefined {
  const [text, format] = value.kind === 'apply' && value.op === 'parse_time' ? value.args : []
  return textLiteralValue(format) === '%Y-%m-%d' ? text : undefined
}

function lastDay(date: Expression): Expression {
  const month = normalizeIntervals(dateTrunc('month', date))
  const next = normalizeIntervals(apply('+', month, interval(numberLiteral('1'), 'month')))
  return addSpan(next, { count: -1, unit: 'day' })
}

function integerOf(value: Expression | undefined): number | undefined {
  return value?.kind === 'literal' && value.type === 'number' && /^-?\d{1,6}$/u.test(value.value)
    ? Number(value.value)
    : undefined
}
