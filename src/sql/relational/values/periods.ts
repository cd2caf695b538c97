import { UTCDateMini } from '@date-fns/utc/date/mini'
import { addDays } from 'date-fns/addDays'
import { addMonths } from 'date-fns/addMonths'
import type { Expression } from '../../shape/query-shape.js'

/** Days from `start` on and before `end`, both as `2024-02-29`. */
export interface Period {
  readonly start: string
  readonly end: string
}

/** A day, and the time after its midnight if there is any. */
export interface Moment {
  readonly day: string
  readonly time: string | undefined
}

const units = {
  day: (day: Date) => addDays(day, 1),
  week: (day: Date) => addDays(day, 7),
  month: (day: Date) => addMonths(day, 1),
  quarter: (day: Date) => addMonths(day, 3),
  year: (day: Date) => addMonths(day, 12),
}

export type PeriodUnit = keyof typeof units

export function isPeriodUnit(name: string): name is PeriodUnit {
  return Object.hasOwn(units, name)
}

/** The period of that unit which begins on the day; undefined where none does. */
export function periodFrom(day: string, unit: PeriodUnit): Period | undefined {
  const start = dateOf(day)
  if (start === undefined) return undefined
  const [isFirst, month] = [start.getUTCDate() === 1, start.getUTCMonth()]
  const begins = {
    day: true,
    week: start.getUTCDay() === 1,
    month: isFirst,
    quarter: isFirst && month % 3 === 0,
    year: isFirst && month === 0,
  }
  return begins[unit] ? { start: day, end: formatDay(units[unit](start)) } : undefined
}

/** The day after; undefined where the text is no day that there is. */
export function dayAfter(day: string): string | undefined {
  return periodFrom(day, 'day')?.end
}

/** The period in a larger one: the third month of a year, say. */
export function partOfPeriod(
  { start, end }: Period,
  unit: 'month' | 'quarter',
  place: number,
): Period | undefined {
  const first = dateOf(start)
  if (first === undefined || periodFrom(start, 'year')?.end !== end) return undefined
  const months = unit === 'month' ? 1 : 3
  if (!Number.isInteger(place) || place < 1 || place > 12 / months) return undefined
  const begin = addMonths(first, (place - 1) * months)
  return { start: formatDay(begin), end: formatDay(addMonths(begin, months)) }
}

/** A day or a moment that is written out: a date, or a text that would be one. */
export function momentOf(value: Expression): Moment | undefined {
  if (value.kind === 'apply') {
    const [inner, type] = value.args
    const isMoment = type?.kind === 'literal' && /^(?:timestamp|datetime)$/u.test(type.value)
    return value.op === 'cast' && isMoment && inner?.kind === 'literal' ? momentOf(inner) : undefined
  }
  if (value.kind !== 'literal' || !/^(?:text|date|timestamp|datetime)$/u.test(value.type)) return undefined
  const written = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?))?$/u.exec(value.value)
  const [, day, time] = written ?? []
  if (day === undefined || dateOf(day) === undefined) return undefined
  return { day, time: time === undefined || /^[0:.]*$/u.test(time) ? undefined : time }
}

/** Years of four digits only: how others are written differs. */
function dateOf(day: string): Date | undefined {
  const date = new UTCDateMini(`${day}T00:00:00Z`)
  const isDay = /^[1-9]\d{3}-\d{2}-\d{2}$/u.test(day) && !day.startsWith('9999')
  return isDay && !Number.isNaN(date.getTime()) && formatDay(date) === day ? date : undefined
}

function formatDay(date: Date): string {
  return date.toISOString().slice(0, 10)
}
