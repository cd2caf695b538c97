import { UTCDateMini } from '@date-fns/utc/date/mini'
import { add } from 'date-fns/add'
import { differenceInCalendarDays } from 'date-fns/differenceInCalendarDays'
import { lastDayOfISOWeek } from 'date-fns/lastDayOfISOWeek'
import { lastDayOfMonth } from 'date-fns/lastDayOfMonth'
import { lastDayOfQuarter } from 'date-fns/lastDayOfQuarter'
import { lastDayOfYear } from 'date-fns/lastDayOfYear'
import { startOfISOWeek } from 'date-fns/startOfISOWeek'
import { startOfMonth } from 'date-fns/startOfMonth'
import { startOfQuarter } from 'date-fns/startOfQuarter'
import { startOfYear } from 'date-fns/startOfYear'

// Single modules of date-fns are imported: its index loads 250 files and adds 70 ms to every start.

/** Days from `start` to `end`, both inclusive, without time zones. */
export interface Interval {
  readonly start: Date
  readonly end: Date
}

export const units = ['day', 'week', 'month', 'quarter', 'year'] as const

export type Unit = (typeof units)[number]

/** Returns the given day, or undefined if the calendar has none (31 November). Month counts from 1. */
export function calendarDay(year: number, month: number, day: number): Date | undefined {
  const date = new UTCDateMini(year, month - 1, day)
  const exists = date.getFullYear() === year && date.getMonth() === month - 1 && date.getDate() === day
  return exists ? date : undefined
}

/** Returns the day of an ISO date, YYYY-MM-DD; undefined for any other text. */
export function parseIsoDate(text: string): Date | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  return match ? calendarDay(Number(match[1]), Number(match[2]), Number(match[3])) : undefined
}

export function isoDate(date: Date): string {
  return date.toISOString().slice(0, 10)
}

export function addDays(date: Date, days: number): Date {
  return add(date, { days })
}

/**
 * Returns the calendar unit that contains `date`, moved by `offset` units: `unitAt(date, 'month', -1)` is the
 * month before.
 */
export function unitAt(date: Date, unit: Unit, offset = 0): Interval {
  switch (unit) {
    case 'day':
      return { start: add(date, { days: offset }), end: add(date, { days: offset }) }
    case 'week': {
      const day = add(date, { weeks: offset })
      return { start: startOfISOWeek(day), end: lastDayOfISOWeek(day) }
    }
    case 'month': {
      const day = add(date, { months: offset })
      return { start: startOfMonth(day), end: lastDayOfMonth(day) }
    }
    case 'quarter': {
      const day = add(date, { months: 3 * offset })
      return { start: startOfQuarter(day), end: lastDayOfQuarter(day) }
    }
    case 'year': {
      const day = add(date, { years: offset })
      return { start: startOfYear(day), end: lastDayOfYear(day) }
    }
  }
}

/** Returns the number of days in a period of ISO dates, both ends included. */
export function daysIn({ start, end }: { readonly start: string; readonly end: string }): number {
  return differenceInCalendarDays(new UTCDateMini(end), new UTCDateMini(start)) + 1
}

/** Returns the ISO date of the day after an ISO date. */
export function dayAfter(iso: string): string {
  return isoDate(addDays(new UTCDateMini(iso), 1))
}
