import { apply, type Expression, word } from '../shape/query-shape.js'
import { negativeSubstringToRight } from './array-slices.js'
import { arithmeticShiftRight } from './bit-operations.js'
import {
  addInterval,
  castToDay,
  dateTrunc,
  type FunctionTable,
  ifToCase,
  interval,
  now,
  positionOf,
  renameTo,
  textLiteralValue,
  today,
  unitOf,
} from './function-table.js'
import { isMonthStart, overflowingUnit } from './interval-arithmetic.js'
import { groupConcatOfSqlite } from './string-aggregates.js'
import { formatTime } from './time-formats.js'

/** SQLite's dates are texts; its functions on them are the usual ones in other words. */
export const sqlite: FunctionTable = new Map([
  ['max', (args) => scalarOrAggregateExtreme('greatest_of_all', 'max', args)],
  ['min', (args) => scalarOrAggregateExtreme('least_of_all', 'min', args)],
  ['iif', ifToCase],
  ['is', renameTo('null_safe_eq', 2)],
  ['char', renameTo('chr', 1)],
  ['bitwise_right_shift', arithmeticShiftRight],
  ['substr', negativeSubstringToRight],
  ['substring', negativeSubstringToRight],
  ['date', (args) => dateOf(args)],
  ['datetime', (args) => momentOf(args)],
  ['strftime', (args) => formattedBy(args)],
  ['unixepoch', renameTo('whole_epoch', 1)],
  ['instr', ([value, part]) => positionOf(value, part)],
  ['concat', renameTo('concat_given')],
  ['group_concat', groupConcatOfSqlite],
  ['cast', ([value, type]) => castToNumber(value, type)],
  ['round', dropNegativeRoundDigits],
  ['julianday', renameTo('julian_day', 1)],
  ['-', (args) => julianDays(args)],
  ['log', ([value, base]) => (value !== undefined && base === undefined ? apply('log10', value) : undefined)],
  // A value that is not a text is returned as itself here, and as JSON elsewhere.
  ['format', (args) => apply('printf', ...args)],
  ['json_extract', (args) => apply('json_value_or_json', ...args)],
  ['json_extract_scalar', (args) => apply('json_typed_value', ...args)],
])

/** Digits below 0 are none. */
function dropNegativeRoundDigits([value, digits, ...rest]: readonly Expression[]): Expression | undefined {
  const isBelow = digits?.kind === 'apply' && digits.op === 'neg' && digits.args[0]?.kind === 'literal'
  return value !== undefined && isBelow && rest.length === 0 ? apply('round', value) : undefined
}

/** SQLite has no dates and times: a cast to one makes a number of the text. */
function castToNumber(value: Expression | undefined, type: Expression | undefined): Expression | undefined {
  if (value === undefined || type?.kind !== 'literal') return undefined
  if (/^(?:date|time|datetime|timestamp)/u.test(type.value)) return apply('cast', value, word('numeric date'))
  // The size of a decimal rounds nothing here.
  return /^(?:decimal|numeric)\s*\(/u.test(type.value)
    ? apply('cast', value, word('decimal of any size'))
    : undefined
}

/** `julianday(a) - julianday(b)`: days, and for moments the part of a day too. */
function julianDays([late, early]: readonly Expression[]): Expression | undefined {
  const moment = (value: Expression | undefined): Expression | undefined =>
    value?.kind === 'apply' && value.op === 'julian_day' ? value.args[0] : undefined
  const [to, from] = [moment(late), moment(early)]
  if (to === undefined || from === undefined) return undefined
  const [later, earlier] = [
    textLiteralValue(to) === 'now' ? now : to,
    textLiteralValue(from) === 'now' ? now : from,
  ]
  return apply('julian_days', later, earlier)
}

/** `date('now', '-30 days')`; modifiers apply from left to right. */
function dateOf([start, ...modifiers]: readonly Expression[]): Expression | undefined {
  if (start === undefined || (start.kind === 'literal' && textLiteralValue(start) !== 'now')) return undefined
  if (textLiteralValue(start) === 'now') return applyModifiers(today, modifiers)
  const shifted = applyModifiers(start, modifiers)
  return shifted && castToDay(shifted)
}

function momentOf([start, ...modifiers]: readonly Expression[]): Expression | undefined {
  if (textLiteralValue(start) === 'now') return applyModifiers(now, modifiers)
  const [unit, ...rest] = modifiers
  const isEpoch = textLiteralValue(unit)?.toLowerCase() === 'unixepoch' && start !== undefined
  return isEpoch ? applyModifiers(apply('utc_time_from_epoch', start), rest) : undefined
}

/** Days that move to the start of a week; those of a weekday move forwards, or stay. */
const weekStarts: ReadonlyMap<string, string> = new Map([
  ['weekday 0,-6 days', 'week'],
  ['-6 days,weekday 1', 'week'],
  ['weekday 6,-6 days', 'week from sunday'],
  ['-6 days,weekday 0', 'week from sunday'],
])

function applyModifiers(start: Expression, modifiers: readonly Expression[]): Expression | undefined {
  const [first, second, ...rest] = modifiers.map((modifier) =>
    textLiteralValue(modifier)?.trim().toLowerCase(),
  )
  const week = weekStarts.get(`${first?.replace(/\bday$/u, 'days')},${second?.replace(/\bday$/u, 'days')}`)
  if (week !== undefined && rest.length === 0) return dateTrunc(week, start)
  return modifiers.reduce<Expression | undefined>(
    (value, modifier) => value && applyModifier(value, modifier),
    start,
  )
}

function applyModifier(value: Expression, modifier: Expression): Expression | undefined {
  const text = textLiteralValue(modifier)?.trim().toLowerCase()
  if (text === undefined) return movedByValue(value, modifier)
  const shift = /^([-+]?)\s*(\d+)\s+(day|month|year|hour|minute|second)s?$/u.exec(text)
  if (shift !== null) {
    const [, sign, count = '', unit = ''] = shift
    const isLong = unit === 'month' || unit === 'year'
    return addInterval(
      value,
      `${sign === '-' ? '-' : ''}${count}`,
      isLong && !isMonthStart(value) ? overflowingUnit(unit) : unit,
    )
  }
  const start = /^start of (day|month|year)$/u.exec(text)
  return start?.[1] === undefined ? undefined : dateTrunc(start[1], value)
}

/** `n || ' days'`, and `'-' || n || ' days'` of a number that is not negative. */
function movedByValue(value: Expression, modifier: Expression): Expression | undefined {
  if (modifier.kind !== 'apply' || modifier.op !== '||') return undefined
  const [amount, suffix] = modifier.args
  const unit = unitOf(suffix)
  if (amount === undefined || unit === undefined || !/^ \w+$/u.test(textLiteralValue(suffix) ?? ''))
    return undefined
  const [sign, size] = amount.kind === 'apply' && amount.op === '||' ? amount.args : []
  const isSigned = textLiteralValue(sign) === '-' || textLiteralValue(sign) === '+'
  if (!isSigned) return apply('+', value, interval(amount, unit))
  if (size === undefined || !isWeekday(size)) return undefined
  return apply(textLiteralValue(sign) === '-' ? '-' : '+', value, interval(size, unit))
}

/** `(strftime('%w', d) + n) % 7` and `strftime('%w', d)` are never negative. */
function isWeekday(value: Expression): boolean {
  if (value.kind !== 'apply') return false
  const [first, second] = value.args
  if (value.op === 'format_time') return textLiteralValue(first) === '%w'
  if (value.op === 'cast') return first !== undefined && isWeekday(first)
  const isSum =
    first?.kind === 'apply' && first.op === '+' && first.args.every((arg) => isWeekday(arg) || isSize(arg))
  return (
    value.op === '%' &&
    second !== undefined &&
    isSize(second) &&
    (isSum || (first !== undefined && isWeekday(first)))
  )
}

function isSize(value: Expression): boolean {
  return value.kind === 'literal' && value.type === 'number' && /^\d+$/u.test(value.value)
}

function formattedBy([format, value, ...rest]: readonly Expression[]): Expression | undefined {
  if (value === undefined) return undefined
  const isNow = textLiteralValue(value) === 'now'
  const moment = rest.length > 0 ? applyModifiers(isNow ? now : value, rest) : isNow ? now : value
  return formatTime(moment, format, 'strftime')
}

/** `max(a, b)` of one row. With FILTER it is no CASE: a bare column beside is of another row where nothing passes. */
function scalarOrAggregateExtreme(
  several: string,
  one: string,
  args: readonly Expression[],
): Expression | undefined {
  const isLabelled = args.some((arg) => arg.kind === 'apply' && arg.op.startsWith('field:'))
  if (isLabelled) return apply(one, ...args)
  return args.length > 1 ? apply(several, ...args) : undefined
}
