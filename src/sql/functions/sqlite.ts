import { apply, type Expression, word } from '../shape/query-shape.js'
import { shiftedRight } from './bits.js'
import { isMonthStart, overflowing } from './date-spans.js'
import { endOrAll } from './slices.js'
import { groupConcatOfSqlite } from './string-aggregates.js'
import {
  chosen,
  dayOf,
  type FunctionTable,
  interval,
  moved,
  named,
  now,
  positionOf,
  textOf,
  today,
  truncated,
  unitOf,
} from './table.js'
import { formatted } from './time-formats.js'

/** SQLite's dates are texts; its functions on them are the usual ones in other words. */
export const sqlite: FunctionTable = new Map([
  ['max', (args) => ofSeveral('greatest_of_all', 'max', args)],
  ['min', (args) => ofSeveral('least_of_all', 'min', args)],
  ['iif', chosen],
  ['is', named('null_safe_eq', 2)],
  ['char', named('chr', 1)],
  ['bitwise_right_shift', shiftedRight],
  ['substr', endOrAll],
  ['substring', endOrAll],
  ['date', (args) => dateOf(args)],
  ['datetime', (args) => momentOf(args)],
  ['strftime', (args) => formattedBy(args)],
  ['unixepoch', named('whole_epoch', 1)],
  ['instr', ([value, part]) => positionOf(value, part)],
  ['concat', named('concat_given')],
  ['group_concat', groupConcatOfSqlite],
  ['cast', ([value, type]) => castToNumber(value, type)],
  ['round', roundedAtMostToOne],
  ['julianday', named('julian_day', 1)],
  ['-', (args) => julianDays(args)],
  ['log', ([value, base]) => (value !== undefined && base === undefined ? apply('log10', value) : undefined)],
  // What is no text gives its own value here, and JSON elsewhere.
  ['format', (args) => apply('printf', ...args)],
  ['json_extract', (args) => apply('json_value_or_json', ...args)],
  ['json_extract_scalar', (args) => apply('json_typed_value', ...args)],
])

/** Digits below 0 are none. */
function roundedAtMostToOne([value, digits, ...rest]: readonly Expression[]): Expression | undefined {
  const isBelow = digits?.kind === 'apply' && digits.op === 'neg' && digits.args[0]?.kind === 'literal'
  return value !== undefined && isBelow && rest.length === 0 ? apply('round', value) : undefined
}

/** SQLite has no dates: a cast to one makes a number of the text. */
function castToNumber(value: Expression | undefined, type: Expression | undefined): Expression | undefined {
  if (value === undefined || type?.kind !== 'literal') return undefined
  if (type.value === 'date') return apply('cast', value, word('numeric date'))
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
  const [later, earlier] = [textOf(to) === 'now' ? now : to, textOf(from) === 'now' ? now : from]
  return apply('julian_days', later, earlier)
}

/** `date('now', '-30 days')`; modifiers apply from left to right. */
function dateOf([start, ...modifiers]: readonly Expression[]): Expression | undefined {
  if (start === undefined || (start.kind === 'literal' && textOf(start) !== 'now')) return undefined
  if (textOf(start) === 'now') return modified(today, modifiers)
  const shifted = modified(start, modifiers)
  return shifted && dayOf(shifted)
}

function momentOf([start, ...modifiers]: readonly Expression[]): Expression | undefined {
  if (textOf(start) === 'now') return modified(now, modifiers)
  const [unit, ...rest] = modifiers
  const isEpoch = textOf(unit)?.toLowerCase() === 'unixepoch' && start !== undefined
  return isEpoch ? modified(apply('utc_time_from_epoch', start), rest) : undefined
}

/** Days that move to the start of a week; those of a weekday move forwards, or stay. */
const weekStarts: ReadonlyMap<string, string> = new Map([
  ['weekday 0,-6 days', 'week'],
  ['-6 days,weekday 1', 'week'],
  ['weekday 6,-6 days', 'week from sunday'],
  ['-6 days,weekday 0', 'week from sunday'],
])

function modified(start: Expression, modifiers: readonly Expression[]): Expression | undefined {
  const [first, second, ...rest] = modifiers.map((modifier) => textOf(modifier)?.trim().toLowerCase())
  const week = weekStarts.get(`${first?.replace(/\bday$/u, 'days')},${second?.replace(/\bday$/u, 'days')}`)
  if (week !== undefined && rest.length === 0) return truncated(week, start)
  return modifiers.reduce<Expression | undefined>(
    (value, modifier) => value && changed(value, modifier),
    start,
  )
}

function changed(value: Expression, modifier: Expression): Expression | undefined {
  const text = textOf(modifier)?.trim().toLowerCase()
  if (text === undefined) return movedByValue(value, modifier)
  const shift = /^([-+]?)\s*(\d+)\s+(day|month|year|hour|minute|second)s?$/u.exec(text)
  if (shift !== null) {
    const [, sign, count = '', unit = ''] = shift
    const isLong = unit === 'month' || unit === 'year'
    return moved(
      value,
      `${sign === '-' ? '-' : ''}${count}`,
      isLong && !isMonthStart(value) ? overflowing(unit) : unit,
    )
  }
  const start = /^start of (day|month|year)$/u.exec(text)
  return start?.[1] === undefined ? undefined : truncated(start[1], value)
}

/** `n || ' days'`, and `'-' || n || ' days'` of a number that is not negative. */
function movedByValue(value: Expression, modifier: Expression): Expression | undefined {
  if (modifier.kind !== 'apply' || modifier.op !== '||') return undefined
  const [amount, suffix] = modifier.args
  const unit = unitOf(suffix)
  if (amount === undefined || unit === undefined || !/^ \w+$/u.test(textOf(suffix) ?? '')) return undefined
  const [sign, size] = amount.kind === 'apply' && amount.op === '||' ? amount.args : []
  const isSigned = textOf(sign) === '-' || textOf(sign) === '+'
  if (!isSigned) return apply('+', value, interval(amount, unit))
  if (size === undefined || !isWeekday(size)) return undefined
  return apply(textOf(sign) === '-' ? '-' : '+', value, interval(size, unit))
}

/** `(strftime('%w', d) + n) % 7` and `strftime('%w', d)` are never negative. */
function isWeekday(value: Expression): boolean {
  if (value.kind !== 'apply') return false
  const [first, second] = value.args
  if (value.op === 'format_time') return textOf(first) === '%w'
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
  const isNow = textOf(value) === 'now'
  const moment = rest.length > 0 ? modified(isNow ? now : value, rest) : isNow ? now : value
  return formatted(moment, format, 'strftime')
}

/** `max(a, b)` of one row. With FILTER it is no CASE: a bare column beside is of another row where nothing passes. */
function ofSeveral(several: string, one: string, args: readonly Expression[]): Expression | undefined {
  const isLabelled = args.some((arg) => arg.kind === 'apply' && arg.op.startsWith('field:'))
  if (isLabelled) return apply(one, ...args)
  return args.length > 1 ? apply(several, ...args) : undefined
}
