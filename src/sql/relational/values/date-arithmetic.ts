import { UTCDateMini } from '@date-fns/utc/date/mini'
import { addDays } from 'date-fns/addDays'
import { addMonths } from 'date-fns/addMonths'
import type { Dialect } from '../../../enums/dialect.js'
import { interval } from '../../functions/function-table.js'
import { apply, type Expression } from '../../shape/query-shape.js'

/** Dialects in which a date and a number are the day so many days away. */
export const addsDaysToDates: ReadonlySet<Dialect> = new Set(['duckdb', 'postgres', 'redshift', 'snowflake'])

/** `DATE '1998-12-01' - INTERVAL '90' DAY`, or less 90, as the day that it is. */
export function foldDateArithmetic(expression: Expression, dialect: Dialect): Expression {
  if (expression.kind !== 'apply' || (expression.op !== '+' && expression.op !== '-')) return expression
  const [first, other] = expression.args
  const second = addsDaysToDates.has(dialect) && isDate(first) ? asInterval(other) : other
  const [date, span] = first?.kind === 'literal' ? [first, second] : [second, first]
  if (date?.kind !== 'literal' || !isDay(date) || span?.kind !== 'apply' || span.op !== 'interval')
    return expression
  if (expression.op === '-' && date !== first) return expression
  const [amount, unit] = span.args
  if (amount?.kind !== 'literal' || unit?.kind !== 'literal' || !/^\d{1,5}$/u.test(amount.value))
    return expression
  const count = Number(amount.value) * (expression.op === '-' ? -1 : 1)
  const day = moved(new UTCDateMini(`${date.value}T00:00:00Z`), count, unit.value)
  return day === undefined ? expression : { ...date, value: day.toISOString().slice(0, 10) }
}

const comparisons: ReadonlySet<string> = new Set(['=', '<>', '<', '<='])

/** `d >= current_date - 7` as with `INTERVAL 7 DAY`; only compared with another, the day and its midnight are one. */
export function dayShiftsToIntervals(expression: Expression, dialect: Dialect): Expression {
  if (expression.kind !== 'apply' || !comparisons.has(expression.op) || !addsDaysToDates.has(dialect))
    return expression
  const args = expression.args.map(shiftedByInterval)
  return args.every((arg, at) => arg === expression.args[at]) ? expression : { ...expression, args }
}

function shiftedByInterval(value: Expression): Expression {
  if (value.kind !== 'apply' || (value.op !== '-' && value.op !== '+') || value.args.length !== 2)
    return value
  const [day, days] = value.args
  const span = day?.kind === 'apply' && day.op === 'current_date' ? asInterval(days) : days
  return day === undefined || span === undefined || span === days ? value : apply(value.op, day, span)
}

/** A number of days as a span of time; anything else as it is. */
function asInterval(value: Expression | undefined): Expression | undefined {
  return value?.kind === 'literal' && value.type === 'number' ? interval(value, 'day') : value
}

function isDate(value: Expression | undefined): boolean {
  return value?.kind === 'literal' && isDay(value)
}

/** A day that there is: dialects disagree about `2020-02-30`, where they take it at all. */
export function isDay({ type, value }: Expression & { kind: 'literal' }): boolean {
  if (type !== 'date' || !/^\d{4}-\d{2}-\d{2}$/u.test(value)) return false
  const day = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value)
}

function moved(day: Date, count: number, unit: string): Date | undefined {
  switch (unit) {
    case 'day':
      return addDays(day, count)
    case 'week':
      return addDays(day, count * 7)
    case 'month':
      return addMonths(day, count)
    case 'year':
      return addMonths(day, count * 12)
    default:
      return undefined
  }
}
