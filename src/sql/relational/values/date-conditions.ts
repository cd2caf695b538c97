import type { Dialect } from '../../../enums/dialect.js'
import { type Bound, flippedOperators } from '../../conditions/literal-bounds.js'
import { isoWeeks } from '../../functions/extract.js'
import { dateLiteral, textLiteralValue } from '../../functions/function-table.js'
import { apply, type Expression } from '../../shape/query-shape.js'
import { strictlyTyped } from '../../typing/strictly-typed.js'
import { isStable } from '../known-functions.js'
import { describeValue } from '../nullability.js'
import type { Facts } from '../table-facts.js'
import {
  dayAfter,
  isPeriodUnit,
  type Moment,
  momentOf,
  type Period,
  type PeriodUnit,
  periodFrom,
} from './periods.js'
import { textDateBound } from './sqlite-date-bounds.js'
import {
  hasPlainYears,
  holdsDays,
  holdsTimes,
  isInOneZone,
  isKnownTime,
  textsAsDates,
} from './temporal-kinds.js'

type Op = Bound['op']

interface Comparison {
  readonly subject: Expression
  readonly op: Op
  readonly value: Expression
}

/**
 * Conditions that ask for a period of the calendar, as bounds: `year(d) = 2024`, `date_trunc('month', d) = '2024-02-01'`,
 * `strftime(d, '%Y-%m') = '2024-02'`, `CAST(d AS date) = '2024-02-29'`, `d LIKE '2024%'`. Bounds of days are of one
 * kind: `d <= '2024-12-31'` is `d < '2025-01-01'`. All are unknown where d is NULL. Whether a column holds dates at all,
 * and whether they have a time of the day, is known from the schema or from how both queries use it, or assumed; in two
 * dialects it is known from the schema or not at all.
 */
export function normalizeDateConditions(expression: Expression, facts: Facts): Expression {
  if (expression.kind !== 'apply') return expression
  if (facts.assumptions.isCrossDialect)
    return facts.assumptions.hasTextTimes ? expression : ofKnownTimes(expression, facts)
  if (expression.op === 'date') return writtenDay(expression.args, facts.dialect) ?? expression
  if (expression.op === 'like') return likePrefixToPeriod(expression.args, facts) ?? expression
  const comparison = comparisonOf(expression)
  if (comparison === undefined) return expression
  return comparisonToPeriod(comparison, facts) ?? comparisonToDayBound(comparison, facts) ?? expression
}

function ofKnownTimes(expression: Expression & { kind: 'apply' }, facts: Facts): Expression {
  const comparison = comparisonOf(expression)
  if (comparison === undefined) return expression
  const { subject, value } = comparison
  const of = subject.kind === 'apply' ? periodIn(subject, value, facts)?.of : undefined
  if (!isKnownTime(of ?? subject, facts)) return expression
  return comparisonToPeriod(comparison, facts) ?? comparisonToDayBound(comparison, facts) ?? expression
}

/** SQLite's `date('2024-02-29')` is the text. */
function writtenDay([value, ...rest]: readonly Expression[], dialect: Dialect): Expression | undefined {
  const isText =
    value?.kind === 'literal' && value.type === 'text' && rest.length === 0 && dialect === 'sqlite'
  return isText && midnight(momentOf(value)) === value.value ? value : undefined
}

function comparisonOf({ op, args }: Expression & { kind: 'apply' }): Comparison | undefined {
  if ((op !== '=' && op !== '<>' && op !== '<' && op !== '<=') || args.length !== 2) return undefined
  const [left, right] = args
  if (left === undefined || right === undefined) return undefined
  if (isWritten(right)) return isWritten(left) ? undefined : { subject: left, op, value: right }
  return isWritten(left) ? { subject: right, op: flippedOperators[op], value: left } : undefined
}

function isWritten(value: Expression): boolean {
  return value.kind === 'literal' || momentOf(value) !== undefined
}

function comparisonToPeriod({ subject, op, value }: Comparison, facts: Facts): Expression | undefined {
  const found = subject.kind === 'apply' ? periodIn(subject, value, facts) : undefined
  if (found === undefined || !isStable(found.of)) return undefined
  const isTime = found.showsTime || holdsTimes(found.of, facts)
  const isPlain = isTime && isInOneZone(found.of, facts) && hasPlainYears(found.call, op, found.of, facts)
  return isPlain ? periodCondition(found.of, op, found.period, facts) : undefined
}

interface Found {
  readonly call: string
  readonly of: Expression
  readonly period: Period
  /** Whether the call itself takes nothing but dates and times. */
  readonly showsTime: boolean
}

function periodIn(
  { op, args }: Expression & { kind: 'apply' },
  value: Expression,
  facts: Facts,
): Found | undefined {
  const { dialect } = facts
  const [first, second, third] = args
  // A third argument is a time zone, or a format.
  if (first === undefined || third !== undefined) return undefined
  const found = (
    of: Expression,
    day: string | undefined,
    unit: PeriodUnit,
    shows = true,
  ): Found | undefined => {
    const period = day === undefined ? undefined : periodFrom(day, unit)
    return period && { call: op, of, period, showsTime: shows && strictlyTyped.has(dialect) }
  }
  const day = midnight(momentIn(value, facts))
  if (op === 'year' && args.length === 1) {
    const isYear = value.kind === 'literal' && value.type === 'number' && /^\d{4}$/u.test(value.value)
    return isYear ? found(first, `${value.value}-01-01`, 'year') : undefined
  }
  if (op === 'date_trunc' && second !== undefined) {
    const unit = textLiteralValue(first) ?? ''
    const isKnown = isPeriodUnit(unit) && (unit !== 'week' || isoWeeks.has(dialect))
    return isKnown ? found(second, day, unit) : undefined
  }
  if (op === 'format_time' && second !== undefined) {
    const format = formats.get(textLiteralValue(first) ?? '')
    const parts = format?.pattern.exec(textLiteralValue(value) ?? '')?.slice(1)
    return format && parts && found(second, dayOf(parts), format.unit)
  }
  const isDay = op === 'cast' && second?.kind === 'literal' && second.value === 'date'
  return isDay ? found(first, day, 'day', false) : undefined
}

const formats: ReadonlyMap<string, { readonly pattern: RegExp; readonly unit: PeriodUnit }> = new Map([
  ['%Y-%m', { pattern: /^(\d{4})-(\d{2})$/u, unit: 'month' }],
  ['%Y%m', { pattern: /^(\d{4})(\d{2})$/u, unit: 'month' }],
  ['%Y-%m-%d', { pattern: /^(\d{4})-(\d{2})-(\d{2})$/u, unit: 'day' }],
  ['%Y%m%d', { pattern: /^(\d{4})(\d{2})(\d{2})$/u, unit: 'day' }],
])

/** Dialects that refuse to compare a date with a text; with another dialect this makes no difference. */
const keepsTexts: ReadonlySet<Dialect> = new Set(['trino', 'presto'])

function momentIn(value: Expression, { dialect, assumptions }: Facts): Moment | undefined {
  const isText = value.kind === 'literal' && value.type === 'text'
  if (isText && keepsTexts.has(dialect) && !assumptions.isCrossDialect) return undefined
  // SQLite's date functions return texts: that of a day has no time, not even midnight.
  return dialect === 'sqlite' && isText && !/^[\d-]+$/u.test(value.value) ? undefined : momentOf(value)
}

function dayOf([year, month = '01', day = '01']: readonly (string | undefined)[]): string {
  return `${year}-${month}-${day}`
}

function midnight(moment: Moment | undefined): string | undefined {
  return moment?.time === undefined ? moment?.day : undefined
}

/** A date, as a text, that begins with its year, its month or all of it. */
function likePrefixToPeriod(
  [value, pattern, ...rest]: readonly Expression[],
  facts: Facts,
): Expression | undefined {
  const parts = /^(\d{4})(?:-?|-(\d{2})(?:-?|-(\d{2})))%$/u.exec(textLiteralValue(pattern) ?? '')?.slice(1)
  if (value === undefined || parts === undefined || rest.length > 0 || !isStable(value)) return undefined
  const [inner, type] = value.kind === 'apply' && value.op === 'cast' ? value.args : []
  const isText =
    type?.kind === 'literal' &&
    (/^(?:text|string|var_?char)$/u.test(type.value) ||
      (type.value === 'char' && longChars.has(facts.dialect)))
  const of = isText ? inner : textsAsDates.has(facts.dialect) ? value : undefined
  const unit = parts[2] !== undefined ? 'day' : parts[1] !== undefined ? 'month' : 'year'
  const period = periodFrom(dayOf(parts), unit)
  if (of === undefined || period === undefined || !holdsTimes(of, facts)) return undefined
  const isPlain = isInOneZone(of, facts) && hasPlainYears('like', '=', of, facts)
  return isPlain ? periodCondition(of, '=', period, facts) : undefined
}

/** Dialects in which CHAR without a length is not a single letter. */
const longChars: ReadonlySet<Dialect> = new Set(['sqlite', 'mysql', 'duckdb'])

function periodCondition(of: Expression, op: Op, { start, end }: Period, facts: Facts): Expression {
  const [from, before] = [apply('<=', dateLiteral(start), of), apply('<', of, dateLiteral(end))]
  switch (op) {
    case '=':
      return dayAfter(start) === end && holdsDays(of, facts)
        ? apply('=', of, dateLiteral(start))
        : apply('and', from, before)
    case '<>':
      return dayAfter(start) === end && holdsDays(of, facts)
        ? apply('<>', of, dateLiteral(start))
        : apply('or', apply('<', of, dateLiteral(start)), apply('<=', dateLiteral(end), of))
    case '<':
      return apply('<', of, dateLiteral(start))
    case '<=':
      return before
    case '>':
      return apply('<=', dateLiteral(end), of)
    case '>=':
      return from
  }
}

/** A comparison with a day or a moment, as one with the start of a day. */
function comparisonToDayBound({ subject, op, value }: Comparison, facts: Facts): Expression | undefined {
  if (facts.dialect === 'sqlite') return textDateBound(subject, op, value, facts)
  const moment = momentIn(value, facts)
  if (moment === undefined || !isStable(subject)) return undefined
  const isPlain = value.kind === 'literal' && value.type === 'date'
  const areDays = holdsDays(subject, facts)
  if (!areDays && (isPlain || !holdsTimes(subject, facts))) return undefined
  const { day, time } = moment
  const next = dayAfter(day)
  if (next === undefined) return undefined
  const isAfter = time !== undefined
  if (isAfter && !areDays) return lastSecond(subject, op, moment, next, facts)
  if (op === '=' || op === '<>') return isAfter || isPlain ? undefined : apply(op, subject, dateLiteral(day))
  const isUpper = op === '<' || op === '<='
  // Beside a column of dates a text is a date too, and its time is lost.
  const isText = value.kind === 'literal' && value.type === 'text'
  if (isText && isAfter && !textsAsDates.has(facts.dialect) && op !== '<=' && op !== '>') return undefined
  const isShifted = areDays && (isAfter || op === '<=' || op === '>')
  if (!isShifted) return isPlain ? undefined : bound(subject, op, day)
  return isUpper ? apply('<', subject, dateLiteral(next)) : apply('<=', dateLiteral(next), subject)
}

function bound(subject: Expression, op: '<' | '<=' | '>' | '>=', day: string): Expression {
  return op === '<' || op === '<='
    ? apply(op, subject, dateLiteral(day))
    : apply(op === '>' ? '<' : '<=', dateLiteral(day), subject)
}

/** `d <= '2024-12-31 23:59:59'` is `d < '2025-01-01'` where nothing happens within the last second. */
function lastSecond(
  subject: Expression,
  op: Op,
  { time = '' }: Moment,
  next: string,
  facts: Facts,
): Expression | undefined {
  if (!/^23:59:59(?:\.9+)?$/u.test(time) || (op !== '<=' && op !== '>')) return undefined
  if (!facts.assumptions.assume('types', `${describeValue(subject, facts)} holds whole seconds`))
    return undefined
  return op === '<=' ? apply('<', subject, dateLiteral(next)) : apply('<=', dateLiteral(next), subject)
}
