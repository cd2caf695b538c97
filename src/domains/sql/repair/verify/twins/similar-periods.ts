import { UTCDateMini } from '@date-fns/utc/date/mini'
import { addDays } from 'date-fns/addDays'
import { addMonths } from 'date-fns/addMonths'
import { endOfMonth } from 'date-fns/endOfMonth'
import { endOfQuarter } from 'date-fns/endOfQuarter'
import { endOfYear } from 'date-fns/endOfYear'
import { format } from 'date-fns/format'
import { getQuarter } from 'date-fns/getQuarter'
import { startOfQuarter } from 'date-fns/startOfQuarter'
import { startOfYear } from 'date-fns/startOfYear'
import { dayAfter, daysIn } from '../../../../../kb/period/calendar.js'
import type { Period } from '../../../../../kb/question-interpretation.js'

/**
 * Returns other periods of equal kind, nearest first: two before, then two after. After them, for a year its
 * quarters and for a quarter its months: there may be no data of other years. Last the longer period around
 * it, whose first and last day are in different months: on a table with one row a month no other period
 * distinguishes them.
 */
export function similarPeriods(period: Period): Period[] {
  return [
    ...[-1, -2, 1, 2].map((steps) => shiftPeriod(period, steps)),
    ...subPeriods(period),
    ...enclosingPeriod(period),
  ]
}

function enclosingPeriod({ grain, start }: Period): Period[] {
  const first = new UTCDateMini(start)
  if (grain === 'month')
    return [{ grain: 'quarter', start: isoDate(startOfQuarter(first)), end: isoDate(endOfQuarter(first)) }]
  return grain === 'quarter'
    ? [{ grain: 'year', start: isoDate(startOfYear(first)), end: isoDate(endOfYear(first)) }]
    : []
}

function subPeriods({ grain, start, end }: Period): Period[] {
  const part = grain === 'year' ? 'quarter' : grain === 'quarter' ? 'month' : undefined
  if (part === undefined) return []
  const parts: Period[] = []
  for (let next = start; next <= end; next = dayAfter(parts.at(-1)?.end ?? end)) {
    const first = new UTCDateMini(next)
    const last = part === 'quarter' ? endOfQuarter(first) : endOfMonth(first)
    parts.push({ grain: part, start: next, end: isoDate(last) })
  }
  return parts
}

/**
 * Returns words that name a period, as a question would: "November 2025", "Q3 2025", "from 2025-11-01 to
 * 2025-11-15".
 */
export function periodPhrase(period: Period): string {
  const start = new UTCDateMini(period.start)
  switch (period.grain) {
    case 'day':
      return period.start
    case 'month':
      return format(start, 'MMMM yyyy')
    case 'quarter':
      return `Q${getQuarter(start)} ${format(start, 'yyyy')}`
    case 'year':
      return format(start, 'yyyy')
    case 'week':
    case 'range':
    case 'relative':
      return `from ${period.start} to ${period.end}`
  }
}

function shiftPeriod(period: Period, steps: number): Period {
  const start = new UTCDateMini(period.start)
  switch (period.grain) {
    case 'month': {
      const moved = addMonths(start, steps)
      return { grain: 'month', start: isoDate(moved), end: isoDate(endOfMonth(moved)) }
    }
    case 'quarter': {
      const moved = addMonths(start, 3 * steps)
      return { grain: 'quarter', start: isoDate(moved), end: isoDate(endOfQuarter(moved)) }
    }
    case 'year': {
      const moved = addMonths(start, 12 * steps)
      return { grain: 'year', start: isoDate(moved), end: isoDate(endOfYear(moved)) }
    }
    case 'day':
    case 'week':
    case 'range':
    case 'relative': {
      const days = daysIn(period) * steps
      const grain = period.grain === 'day' ? 'day' : 'range'
      return {
        grain,
        start: isoDate(addDays(start, days)),
        end: isoDate(addDays(new UTCDateMini(period.end), days)),
      }
    }
  }
}

function isoDate(date: Date): string {
  return format(date, 'yyyy-MM-dd')
}
